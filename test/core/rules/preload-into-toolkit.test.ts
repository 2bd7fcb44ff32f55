import { inEveryList, testRule, withEnv } from '../../build/isolation.ts'

testRule('PreloadIntoToolkit', [
  ...[
    '/proc/self/cwd/lib.so',
    '//proc//self/cwd/lib.so',
    '/usr/../proc/1/root/x.so',
    '/dev/fd/3',
    '/dev/shm/x.so',
    '/run/containerd/io.containerd.runtime.v2.task/k8s.io/abc/rootfs/x.so',
    '/var/lib/kubelet/pods/1/volumes/kubernetes.io~empty-dir/v/x.so',
    './lib.so',
    'lib/x.so',
    '/usr/lib/ok.so:/proc/self/x.so',
    '/usr/lib/ok.so  lib/x.so'
  ].map((value) => ({
    name: `[RULE16] LD_PRELOAD=${value}`,
    main: withEnv(['LD_PRELOAD', value]),
    says: [/sets LD_PRELOAD=.*CVE-2025-23266/]
  })),
  ...[
    '',
    '/usr/lib/libjemalloc.so.2',
    'libtcmalloc.so.4',
    '/a/x.so:/b/y.so',
    '/process/x.so',
    '/opt/proc/x.so',
    '/var/lib/app/x.so',
    '/var/libs/x.so'
  ].map((value) => ({
    name: `[RULE16] LD_PRELOAD=${value} is honest`,
    main: withEnv(['LD_PRELOAD', value])
  })),
  { name: '[RULE16] LD_AUDIT', main: withEnv(['LD_AUDIT', '/proc/self/cwd/x.so']), says: [/LD_AUDIT/] },
  {
    name: '[RULE16] a library path under /proc',
    main: withEnv(['LD_LIBRARY_PATH', '/usr/lib:/proc/self/cwd']),
    says: [/LD_LIBRARY_PATH/]
  },
  {
    name: '[RULE16] a relative library path under proc',
    main: withEnv(['LD_LIBRARY_PATH', '../proc/self']),
    says: [/LD_LIBRARY_PATH/]
  },
  {
    name: '[RULE16] the library paths that people write',
    main: withEnv(['LD_LIBRARY_PATH', '/usr/local/cuda/lib64:/opt/lib::'])
  },
  ...['.', 'lib', '/usr/lib:./lib'].map((value) => ({
    name: `[RULE16] a library path that begins where a hook runs: ${value}`,
    main: withEnv(['LD_LIBRARY_PATH', value]),
    says: [/LD_LIBRARY_PATH/]
  })),
  {
    name: '[RULE16] in pieces',
    main: withEnv(['A', '/proc'], ['LD_PRELOAD', '$(A)/self/x.so']),
    says: [/"\/proc\/self\/x\.so"/]
  },
  ...inEveryList(withEnv(['LD_PRELOAD', 'a/b.so'])).map(({ where, ...pod }) => ({
    name: `[RULE1] [RULE16] in a ${where}`,
    says: [/a\/b\.so/],
    ...pod
  }))
])
