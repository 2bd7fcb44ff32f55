import { pathRule } from './reaching-volumes.ts'

/** Volumes of the host in which device plugins and kubelet meet; read-only does not keep anybody from connecting. */
export const pluginSocketPath = pathRule('PluginSocketPath', 'plugin-socket', {
  what: 'a path to the sockets of kubelet',
  wayOut: 'drop the volume; device plugins run in a namespace of the system'
})
