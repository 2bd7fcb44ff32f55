// Rooms of src/ and what each may import. A rule says why; `npm run check` finds every breach.
const core = {
  api: ['gpu'],
  gpu: [],
  pod: ['api', 'gpu'],
  policy: ['api', 'gpu', 'pod'],
  quota: ['api', 'gpu', 'pod'],
  usage: ['api', 'gpu', 'pod', 'policy'],
  cluster: ['api', 'gpu', 'pod', 'policy', 'usage'],
  sharing: ['api', 'gpu', 'pod', 'policy', 'usage', 'cluster'],
  pack: ['api', 'gpu'],
  plan: ['api', 'gpu', 'sharing', 'pack'],
  candidates: ['api', 'gpu', 'pod', 'policy', 'usage', 'cluster', 'sharing'],
  rules: ['api', 'gpu', 'pod', 'policy', 'usage', 'cluster', 'sharing'],
  decision: ['api', 'gpu', 'pod', 'policy', 'quota', 'usage', 'cluster', 'sharing', 'rules'],
  explain: ['api', 'gpu', 'pod', 'policy', 'quota', 'usage', 'cluster', 'sharing', 'rules', 'decision'],
  patch: ['api', 'gpu', 'pod', 'sharing', 'decision'],
  backstop: ['api', 'gpu', 'pod', 'policy', 'usage', 'cluster', 'sharing', 'rules'],
  audit: ['api', 'gpu', 'pod', 'policy', 'usage', 'cluster', 'sharing', 'rules', 'decision']
}
const shell = {
  ports: ['core'],
  observability: ['core', 'ports'],
  config: ['core'],
  gather: ['core', 'ports'],
  kube: ['core', 'ports'],
  prometheus: ['core', 'ports'],
  tls: ['core', 'ports'],
  lifecycle: ['ports'],
  solver: ['core', 'ports'],
  controllers: ['core', 'ports', 'gather'],
  compose: ['core', 'ports', 'gather', 'config', 'kube', 'prometheus', 'controllers', 'tls'],
  server: ['core', 'ports', 'gather'],
  demo: ['core', 'ports', 'gather'],
  check: ['core', 'ports', 'gather', 'tls'],
  install: ['core', 'config'],
  cli: ['core', 'ports', 'gather', 'config', 'demo', 'check', 'install']
}
/** What traces are made of. */
const tracing = ['api', 'core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map(
  (name) => `@opentelemetry/${name}`
)
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const npm = (names) => `node_modules/(${names.join('|')})/`
const only = (pkg, room) =>
  rule(
    `${pkg.replaceAll('/', '-')}-only-in-${room}`,
    `${pkg} is imported by src/${room} alone; other rooms see a port.`,
    { path: '^src/', pathNot: `^src/${room}/` },
    { path: npm([pkg]), dependencyTypesNot: ['type-only'] }
  )

export default {
  forbidden: [
    rule('no-cycles', 'A cycle hides which room owns an idea.', {}, { circular: true }),
    rule(
      'core-stays-in-core',
      'The core takes values and returns values; whatever reaches the world is a port of the shell.',
      { path: '^src/core/' },
      { path: '^src/', pathNot: '^src/core/' }
    ),
    rule(
      'core-no-node',
      'No files, sockets, timers or processes in the core, so that every decision can be replayed.',
      { path: '^src/core/' },
      { dependencyTypes: ['core'] }
    ),
    rule(
      'core-npm-allow-list',
      'Only pure libraries in the core: schemas, JSON Patch, zone data, and CEL, in which DeviceClasses say what they take.',
      { path: '^src/core/' },
      {
        path: 'node_modules/',
        pathNot: npm(['zod', 'fast-json-patch', 'luxon', '@types/luxon', '@marcbachmann/cel-js'])
      }
    ),
    ...Object.entries(core).map(([room, may]) =>
      rule(
        `core-${room}`,
        `core/${room} may import ${may.length === 0 ? 'no other room of the core' : may.join(', ')}: ideas build on each other in one direction.`,
        { path: `^src/core/${room}/` },
        { path: '^src/core/[^/]+/', pathNot: `^src/core/(${[room, ...may].join('|')})/` }
      )
    ),
    ...Object.entries(shell).map(([room, may]) =>
      rule(
        `shell-${room}`,
        `src/${room} may import ${may.join(', ')}: rooms of the shell meet in main.ts and cli.ts only.`,
        { path: `^src/${room}/` },
        { path: '^src/', pathNot: `^src/(${[room, ...may].join('|')})/` }
      )
    ),
    only('@kubernetes/client-node', 'kube'),
    only('fastify', 'server'),
    only('prom-client', 'observability'),
    only('pino', 'observability'),
    ...tracing.map((pkg) => only(pkg, 'observability')),
    rule(
      'tracing-loaded-on-demand',
      'What traces are made of is loaded only where an endpoint is set, so nothing imports it at the start.',
      { path: '^src/', pathNot: '^src/observability/(otlp-tracer|telling-exporter)\\.ts$' },
      {
        path: '^src/observability/(otlp-tracer|telling-exporter)\\.ts$',
        dependencyTypesNot: ['type-only', 'dynamic-import']
      }
    ),
    only('highs', 'solver'),
    rule(
      'nothing-imports-entry-points',
      'The files beside the rooms only compose; what others need lives in a room.',
      { path: '^src/', pathNot: '^src/cli\\.ts$' },
      { path: '^src/[^/]+\\.ts$' }
    ),
    rule(
      'src-not-to-test',
      'Tests know the source, never the reverse.',
      { path: '^src/' },
      { path: '^test/' }
    ),
    rule(
      'src-not-to-dev-dependency',
      'A production install must run.',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] }
    ),
    rule(
      'no-orphans',
      'A file that nothing imports is dead.',
      { orphan: true, path: '^src/', pathNot: '^src/[^/]+\\.ts$|\\.json$' },
      {}
    )
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types']
    }
  }
}
