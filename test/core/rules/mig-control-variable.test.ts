import { inEveryList, testRule, withEnv } from '../../build/isolation.ts'

testRule('MigControlVariable', [
  {
    name: '[RULE15] both, with the capability that they need, in one breach',
    main: {
      ...withEnv(['NVIDIA_MIG_CONFIG_DEVICES', 'all'], ['NVIDIA_MIG_MONITOR_DEVICES', 'all']),
      securityContext: { capabilities: { add: ['NET_ADMIN', 'SYS_ADMIN'] } }
    },
    says: [/NVIDIA_MIG_CONFIG_DEVICES="all", NVIDIA_MIG_MONITOR_DEVICES="all" with the capability SYS_ADMIN/]
  },
  {
    name: '[RULE15] without the capability',
    main: withEnv(['NVIDIA_MIG_CONFIG_DEVICES', '0']),
    says: [/="0";/]
  },
  {
    name: '[RULE15] the capability alone',
    main: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }
  },
  { name: '[RULE15] nothing asked', main: withEnv(['NVIDIA_MIG_CONFIG_DEVICES', '']) },
  ...inEveryList(withEnv(['NVIDIA_MIG_MONITOR_DEVICES', 'all'])).map(({ where, ...pod }) => ({
    name: `[RULE1] [RULE15] in a ${where}`,
    says: [/MONITOR/],
    ...pod
  }))
])
