#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander'
import { exitCodeOf, tellFault } from './cli/exit-code.ts'
import { packageVersion } from './config/version.ts'
import type { AuditOptions } from './main-audit.ts'
import type { CandidatesOptions } from './main-candidates.ts'
import type { CheckOptions } from './main-check.ts'
import type { ExplainOptions } from './main-explain.ts'

const program = new Command('rightslice')
  .description('Gives each Kubernetes GPU workload the smallest GPU share that its measured peak fits.')
  .version(await packageVersion())
  .showHelpAfterError()
  .exitOverride()

program
  .command('webhook')
  .description('serve the admission webhook; settings come from RIGHTSLICE_* variables and a file')
  .option('--config <file>', 'YAML file with settings by key')
  .action(async (options: { config?: string }) => {
    const { main } = await import('./main.ts')
    await main(options.config)
  })

program
  .command('controller')
  .description('read GPU history and keep what is known of each workload; settings as for the webhook')
  .option('--config <file>', 'YAML file with settings by key')
  .action(async (options: { config?: string }) => {
    const { mainController } = await import('./main-controller.ts')
    await mainController(options.config)
  })

program
  .command('demo')
  .description(
    'run the real webhook against a bundled cluster, in this process, with no cluster and no network'
  )
  .option('--once', 'end after the table; for scripts', false)
  .option('--port <port>', 'port of the webhook on 127.0.0.1; 0 takes a free one', toPort, 0)
  .addOption(output(['text', 'json']))
  .action(async (options: { once: boolean; port: number; output: 'text' | 'json' }) => {
    const { demo } = await import('./main-demo.ts')
    await demo(options)
  })

program
  .command('explain')
  .description(
    'say what happens to the pods of a workload, a namespace or a file, and why; nothing is written'
  )
  .argument('[subject]', 'deploy/NAME, pod/NAME or NAME, ns/NAME, or another kind that makes pods')
  .option('-f, --file <file>', 'pod or workload (YAML or JSON; - reads standard input)')
  .option('--reason <code>', 'print the page of a reason code or of an isolation rule')
  .option('-n, --namespace <name>', 'namespace of the subject, and of objects that name none', 'default')
  .option('--all', 'every workload of the namespace that has GPU pods, one line each')
  .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or the usual place when absent')
  .option('--context <name>', 'context of the kubeconfig')
  .option('--snapshot <file>', 'file of "rightslice snapshot" in place of a cluster')
  .option('--demo', 'the bundled cluster dc1 in place of a cluster')
  .option('--schema', 'print the JSON Schema of -o json')
  .addOption(output(['text', 'json']))
  .addHelpText(
    'after',
    `
Examples:
  rightslice explain deploy/reranker -n search      the next pod of a workload
  rightslice explain pod/reranker-5f7bb-q7l2w -n search
  rightslice explain --all -n search                one line for each workload
  rightslice explain -f pod.yaml                    before it is applied
  rightslice explain --reason NoFreeSlice           what a reason code means

Exit codes: 0 answered; 1 an error of the program; 2 bad usage, a bad file, or nothing of that name;
3 the cluster cannot be reached, or does not allow it.`
  )
  .action(async (subject: string | undefined, options: ExplainOptions) => {
    const { explain } = await import('./main-explain.ts')
    await explain({ ...options, ...(subject === undefined ? {} : { subject }) })
  })

program
  .command('snapshot')
  .description('print what decisions read of a cluster, for explain and candidates; nothing is written')
  .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or the usual place when absent')
  .option('--context <name>', 'context of the kubeconfig')
  .option('--anonymize', 'hash every name; the hashes differ from run to run', false)
  .action(async ({ anonymize, ...where }: ClusterOptions & { anonymize: boolean }) => {
    const { snapshot } = await import('./main-snapshot.ts')
    await snapshot(where, anonymize)
  })

program
  .command('candidates')
  .description('show which workloads could share GPUs and what that would free; nothing is written')
  .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or the usual place when absent')
  .option('--context <name>', 'context of the kubeconfig')
  .option('--offline <file>', 'snapshot in place of a cluster (- reads standard input)')
  .option(
    '--prometheus <url>',
    'metrics server to read peaks from; without it GpuWorkloads, else found by label'
  )
  .option(
    '--price <model=usd>',
    'USD per hour of one GPU of a model, * for all others; repeatable',
    collect,
    []
  )
  .addOption(output(['table', 'json', 'markdown']))
  .addOption(new Option('--fail-on <what>', 'exit with 4 when GPUs could be freed').choices(['candidates']))
  .action(async (options: CandidatesOptions) => {
    const { candidates } = await import('./main-candidates.ts')
    process.exitCode = await candidates(options)
  })

program
  .command('audit')
  .description('show which pods that run break isolation, and which nobody reviewed; nothing is written')
  .requiredOption(
    '--violations',
    'judge every pod of namespaces that opted in; so far the only kind of audit'
  )
  .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or the usual place when absent')
  .option('--context <name>', 'context of the kubeconfig')
  .option('-n, --namespace <name>', 'only this namespace; needs no right to list namespaces')
  .option('-A, --all-namespaces', 'every namespace that opted in, as without -n')
  .addOption(output(['table', 'json', 'markdown']))
  .addOption(new Option('--fail-on <what>', 'exit with 4 when a pod breaks a rule').choices(['violations']))
  .addHelpText(
    'after',
    '\nIt asks a cluster: a snapshot holds neither the environment nor the volumes of pods.\nExit code 3: something could not be read; what was read is printed all the same.'
  )
  .action(async (options: AuditOptions) => {
    const { audit } = await import('./main-audit.ts')
    process.exitCode = await audit(options)
  })

program
  .command('check')
  .description('show the state of an installation: objects, certificates, policies; nothing is written')
  .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or the usual place when absent')
  .option('--context <name>', 'context of the kubeconfig')
  .option('-n, --namespace <name>', 'namespace of the installation', 'rightslice-system')
  .option('--wait <duration>', 'look again until nothing fails, for so long at most, such as 2m')
  .option('--strict', 'exit with 4 on warnings too', false)
  .option('--suggest-quota', 'print ResourceQuotas that count the shares, where whole GPUs are limited')
  .option('--suggest-kueue', 'print what Kueue needs to count shares and whole GPUs in one unit')
  .option('--snapshot <file>', 'suggest from what "rightslice snapshot" printed, without a cluster')
  .addOption(output(['table', 'json']))
  .action(async (options: CheckOptions) => {
    const { check } = await import('./main-check.ts')
    process.exitCode = await check(options)
  })

program
  .command('exempt')
  .description('print a GpuExemption for a workload, for kubectl apply or for Git; nothing is written')
  .argument('<workload>', 'KIND/NAME, such as deployment/embedder')
  .option('-n, --namespace <name>', 'namespace of the workload', 'default')
  .requiredOption(
    '--rule <rule...>',
    'Rewrite keeps whole GPUs; the code of an isolation rule lifts that rule'
  )
  .requiredOption('--for <duration>', 'how long, such as 10d; the policy may end it earlier')
  .requiredOption('--reason <text>', 'why, for those who approve and audit')
  .option('--name <name>', 'name of the object; made from the workload when absent')
  .action(async (workload: string, options: ExemptOptions) => {
    const { exemptionYaml } = await import('./cli/exempt.ts')
    const { namespace, rule: rules, for: lasts, reason, name } = options
    const request = { workload, namespace, rules, lasts, reason, ...(name === undefined ? {} : { name }) }
    process.stdout.write(exemptionYaml(request, Date.now()))
  })

program
  .command('convert')
  .description("turn a GpuPolicy of another API group into Rightslice's; nothing else is touched")
  .requiredOption('-f, --file <file>', 'policy (YAML or JSON; - reads standard input)')
  .action(async ({ file }: { file: string }) => {
    const { runConvert } = await import('./cli/convert.ts')
    await runConvert({ file, stdout: process.stdout, stderr: process.stderr, readFile: readText })
  })

program
  .command('crd')
  .description('print the custom resource definitions')
  .option('--out <file>', 'write them to a file instead')
  .action(async ({ out }: { out?: string }) => {
    const { runCrd } = await import('./cli/crd.ts')
    await runCrd({ stdout: process.stdout, ...(out === undefined ? {} : { out }) })
  })

program
  .command('policies')
  .description('print the ValidatingAdmissionPolicies, which the API server checks without a webhook')
  .option('--out <file>', 'write them to a file instead')
  .action(async ({ out }: { out?: string }) => {
    const { runPolicies } = await import('./cli/policies.ts')
    await runPolicies({ stdout: process.stdout, ...(out === undefined ? {} : { out }) })
  })

program
  .command('manifests')
  .description('print everything that an installation consists of: rightslice manifests | kubectl apply -f -')
  .option('--set <key=value>', 'choose a value; repeatable, see docs/install.md', collect, [])
  .option('--out <file>', 'write it to a file instead')
  .action(async ({ set, out }: { set: readonly string[]; out?: string }) => {
    const { runManifests } = await import('./cli/run-manifests.ts')
    await runManifests({ set, stdout: process.stdout, ...(out === undefined ? {} : { out }) })
  })

program
  .command('chart')
  .description('write the Helm chart, which says the same as manifests')
  .requiredOption('--out <directory>', 'folder of the chart')
  .action(async ({ out }: { out: string }) => {
    const { runChart } = await import('./cli/run-chart.ts')
    await runChart(out)
  })

program
  .command('uninstall')
  .description('print the commands that remove an installation, in their order; nothing is removed')
  .requiredOption('--plan', 'print the commands, to be read and then run by you')
  .action(async () => {
    const { runUninstall } = await import('./cli/run-manifests.ts')
    await runUninstall(process.stdout)
  })

interface ClusterOptions {
  readonly kubeconfig?: string
  readonly context?: string
}

interface ExemptOptions {
  readonly namespace: string
  readonly rule: readonly string[]
  readonly for: string
  readonly reason: string
  readonly name?: string
}

/** The first choice is the default. */
function output(choices: readonly string[]): Option {
  return new Option('-o, --output <form>', 'form of the answer').choices(choices).default(choices[0])
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text]
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number up to 65535.')
}

async function readText(path: string): Promise<string> {
  const { readInput } = await import('./cli/read-input.ts')
  return await readInput(path)
}

try {
  await program.parseAsync()
} catch (fault) {
  tellFault(fault, process.stderr)
  process.exitCode = exitCodeOf(fault)
}
