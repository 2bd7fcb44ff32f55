import { asking, inEveryList, testRule, withEnv } from '../../build/isolation.ts'

const VISIBLE = 'NVIDIA_VISIBLE_DEVICES'

testRule('VisibleDevicesOverride', [
  ...['', 'void', 'none'].map((value) => ({
    name: `[RULE14] ${JSON.stringify(value)} takes GPUs away`,
    main: withEnv([VISIBLE, value])
  })),
  ...['all', ' all ', '0', 'GPU-1', 'none,0', '0,void', 'VOID', ' void', 'void\n'].map((value) => ({
    name: `[RULE14] ${JSON.stringify(value)} is refused`,
    main: withEnv([VISIBLE, value]),
    says: [/container "main" sets NVIDIA_VISIBLE_DEVICES=".+"; request nvidia\.com\/gpu/]
  })),
  ...inEveryList(withEnv([VISIBLE, 'all'])).map(({ where, ...pod }) => ({
    name: `[RULE1] [RULE14] in a ${where}`,
    says: [/NVIDIA_VISIBLE_DEVICES="all"/],
    ...pod
  })),
  {
    name: '[RULE14] a limit is no excuse',
    main: { ...asking('nvidia.com/gpu'), ...withEnv([VISIBLE, 'all']) },
    says: [/"all"/]
  },
  { name: '[RULE14] an entry without a value', main: { env: [{ name: VISIBLE }] } },
  {
    name: '[RULE14] every entry counts',
    main: withEnv([VISIBLE, 'all'], [VISIBLE, 'void']),
    says: [/"all"/]
  },
  {
    name: '[RULE14] references are resolved',
    main: withEnv(['A', 'al'], [VISIBLE, '$(A)l']),
    says: [/="all"/]
  },
  { name: '[RULE14] a reference to nothing', main: withEnv(['A', ''], [VISIBLE, '$(A)']) },
  {
    name: '[RULE14] a reference to a text that is long',
    main: withEnv(['A', `0,${'1,'.repeat(4000)}`], [VISIBLE, '$(A)']),
    says: [/references that grow too long/]
  },
  {
    name: '[RULE14] a reference to a field',
    main: {
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['a']" } } },
        { name: VISIBLE, value: '$(A)' }
      ]
    },
    says: [/metadata/]
  },
  {
    name: '[RULE14] channels',
    main: withEnv(['NVIDIA_IMEX_CHANNELS', '0']),
    says: [/NVIDIA_IMEX_CHANNELS="0"/]
  },
  {
    name: '[RULE14] a field of the pod may change',
    main: { env: [{ name: VISIBLE, valueFrom: { fieldRef: { fieldPath: "metadata.annotations['a']" } } }] },
    says: [/from "metadata\.annotations/]
  },
  {
    name: '[RULE14] a resource is a number, so an index',
    main: { env: [{ name: VISIBLE, valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
    says: [/from "limits\.cpu"/]
  },
  {
    name: '[RULE18] what cannot be seen is for another rule',
    main: { env: [{ name: VISIBLE, valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }
  },
  {
    name: '[RULE14] other names',
    main: withEnv(
      ['nvidia_visible_devices', 'all'],
      ['CUDA_VISIBLE_DEVICES', '0'],
      ['NVIDIA_DRIVER_CAPABILITIES', 'all']
    )
  }
])
