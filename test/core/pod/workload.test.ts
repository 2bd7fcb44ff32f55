import t from 'tap'
import { type OwnerRef, readPod } from '../../../src/core/pod/pod-view.ts'
import { workloadKey, workloadOf } from '../../../src/core/pod/workload.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'

interface Row {
  readonly name: string
  readonly pod: PodSpec
  /** What the look-up knows: owner name to its controller. */
  readonly known?: Readonly<Record<string, { kind: string; name: string }>>
  readonly want: string
}

function owned(kind: string, name: string): NonNullable<PodSpec['owner']> {
  return { kind, name }
}

const rows: readonly Row[] = [
  {
    name: 'Deployment, by the hash in the name of its ReplicaSet',
    pod: { owner: owned('ReplicaSet', 'web-7c9d8f6b5d'), labels: { 'pod-template-hash': '7c9d8f6b5d' } },
    want: 'Deployment/web'
  },
  {
    name: 'Deployment, by look-up where the name was not made from the hash',
    pod: { owner: owned('ReplicaSet', 'web-old'), labels: { 'pod-template-hash': '7c9d8f6b5d' } },
    known: { 'web-old': { kind: 'Deployment', name: 'web' } },
    want: 'Deployment/web'
  },
  {
    name: 'Deployment, known by its labels where the look-up says otherwise',
    pod: { owner: owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } },
    known: { 'web-1': { kind: 'Other', name: 'other' } },
    want: 'Deployment/web'
  },
  { name: 'ReplicaSet of nobody', pod: { owner: owned('ReplicaSet', 'alone') }, want: 'ReplicaSet/alone' },
  {
    name: 'ReplicaSet whose hash label is empty',
    pod: { owner: owned('ReplicaSet', 'alone-'), labels: { 'pod-template-hash': '' } },
    want: 'ReplicaSet/alone-'
  },
  {
    name: 'Argo Rollout',
    pod: { owner: owned('ReplicaSet', 'web-5d4f'), labels: { 'rollouts-pod-template-hash': '5d4f' } },
    want: 'Rollout/web'
  },
  {
    name: 'DeploymentConfig of OpenShift',
    pod: { owner: owned('ReplicationController', 'web-3'), labels: { deploymentconfig: 'web' } },
    want: 'DeploymentConfig/web'
  },
  {
    name: 'ReplicationController',
    pod: { owner: owned('ReplicationController', 'web') },
    want: 'ReplicationController/web'
  },
  { name: 'StatefulSet', pod: { owner: owned('StatefulSet', 'db') }, want: 'StatefulSet/db' },
  { name: 'DaemonSet', pod: { owner: owned('DaemonSet', 'agent') }, want: 'DaemonSet/agent' },
  { name: 'Job', pod: { owner: owned('Job', 'train') }, want: 'Job/train' },
  {
    name: 'Job that something else owns',
    pod: { owner: owned('Job', 'train-0') },
    known: { 'train-0': { kind: 'TrainJob', name: 'train' } },
    want: 'TrainJob/train'
  },
  {
    name: 'CronJob by look-up',
    pod: { owner: owned('Job', 'nightly-29123456') },
    known: { 'nightly-29123456': { kind: 'CronJob', name: 'nightly' } },
    want: 'CronJob/nightly'
  },
  {
    name: 'CronJob at a cache-miss, when its Job is not known yet',
    pod: { owner: owned('Job', 'nightly-eval-29123456') },
    want: 'CronJob/nightly-eval'
  },
  {
    name: 'Job named after a day',
    pod: { owner: owned('Job', 'train-20240131') },
    want: 'Job/train-20240131'
  },
  { name: 'Job with other digits', pod: { owner: owned('Job', 'train-2912345') }, want: 'Job/train-2912345' },
  {
    name: 'JobSet',
    pod: {
      owner: owned('Job', 'js-workers-0'),
      labels: {
        'jobset.sigs.k8s.io/jobset-name': 'js',
        'jobset.sigs.k8s.io/replicatedjob-name': 'workers'
      }
    },
    want: 'JobSet/js/workers'
  },
  {
    name: 'TrainJob of Kubeflow, by the JobSet of its name',
    pod: {
      owner: owned('Job', 'tune-node-0'),
      labels: {
        'jobset.sigs.k8s.io/jobset-name': 'tune',
        'jobset.sigs.k8s.io/replicatedjob-name': 'node',
        'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer'
      }
    },
    want: 'JobSet/tune/node'
  },
  {
    name: 'LeaderWorkerSet, leader',
    pod: {
      owner: owned('StatefulSet', 'lws'),
      labels: { 'leaderworkerset.sigs.k8s.io/name': 'lws', 'leaderworkerset.sigs.k8s.io/worker-index': '0' }
    },
    want: 'LeaderWorkerSet/lws/leader'
  },
  {
    name: 'LeaderWorkerSet, worker, whose set is owned by the leader pod',
    pod: {
      owner: owned('StatefulSet', 'lws-0'),
      labels: { 'leaderworkerset.sigs.k8s.io/name': 'lws', 'leaderworkerset.sigs.k8s.io/worker-index': '2' }
    },
    want: 'LeaderWorkerSet/lws/worker'
  },
  {
    name: 'RayCluster, one worker group',
    pod: {
      owner: owned('RayCluster', 'rc'),
      labels: { 'ray.io/cluster': 'rc', 'ray.io/group': 'gpu-group', 'ray.io/node-type': 'worker' }
    },
    want: 'RayCluster/rc/gpu-group'
  },
  {
    name: 'RayCluster without a group',
    pod: { owner: owned('RayCluster', 'rc'), labels: { 'ray.io/cluster': 'rc', 'ray.io/node-type': 'head' } },
    want: 'RayCluster/rc/head'
  },
  {
    name: 'RayJob, whose clusters are new in each run',
    pod: {
      owner: owned('RayCluster', 'rj-x7k2p'),
      labels: {
        'ray.io/cluster': 'rj-x7k2p',
        'ray.io/group': 'small',
        'ray.io/originated-from-cr-name': 'rj',
        'ray.io/originated-from-crd': 'RayJob'
      }
    },
    want: 'RayJob/rj/small'
  },
  {
    name: 'RayCluster that names itself as the origin',
    pod: { owner: owned('RayCluster', 'rc'), labels: { 'ray.io/originated-from-cr-name': 'rc' } },
    want: 'RayCluster/rc'
  },
  {
    name: 'PyTorchJob of Kubeflow',
    pod: {
      owner: owned('PyTorchJob', 'ddp'),
      labels: { 'training.kubeflow.org/job-name': 'ddp', 'training.kubeflow.org/replica-type': 'worker' }
    },
    want: 'PyTorchJob/ddp/worker'
  },
  {
    name: 'MPIJob that says only its role',
    pod: {
      owner: owned('MPIJob', 'mpi'),
      labels: { 'training.kubeflow.org/job-name': 'mpi', 'training.kubeflow.org/job-role': 'launcher' }
    },
    want: 'MPIJob/mpi/launcher'
  },
  {
    name: 'training job without an owner',
    pod: { labels: { 'training.kubeflow.org/job-name': 'ddp' } },
    want: 'TrainingJob/ddp'
  },
  {
    name: 'KServe before the Knative service and the Deployment that serve it',
    pod: {
      owner: owned('ReplicaSet', 'adapter-predictor-00002-deployment-5b7'),
      labels: {
        'serving.kserve.io/inferenceservice': 'adapter',
        component: 'predictor',
        'serving.knative.dev/service': 'adapter-predictor',
        'pod-template-hash': '5b7'
      }
    },
    want: 'InferenceService/adapter/predictor'
  },
  {
    name: 'Knative service and not its revision',
    pod: {
      owner: owned('ReplicaSet', 'fn-00003-deployment-5b7'),
      labels: {
        'serving.knative.dev/service': 'fn',
        'serving.knative.dev/configuration': 'fn',
        'serving.knative.dev/revision': 'fn-00003',
        'pod-template-hash': '5b7'
      }
    },
    want: 'Service/fn'
  },
  {
    name: 'Knative configuration without a service',
    pod: { owner: owned('ReplicaSet', 'x'), labels: { 'serving.knative.dev/configuration': 'conf' } },
    want: 'Configuration/conf'
  },
  {
    name: 'CronWorkflow of Argo, before the template that it runs',
    pod: {
      owner: owned('Workflow', 'nightly-1700000000'),
      labels: {
        'workflows.argoproj.io/cron-workflow': 'nightly',
        'workflows.argoproj.io/workflow-template': 'train',
        'workflows.argoproj.io/workflow': 'nightly-1700000000'
      },
      annotations: { 'workflows.argoproj.io/node-name': 'nightly-1700000000.fit' }
    },
    want: 'CronWorkflow/nightly/fit'
  },
  {
    name: 'WorkflowTemplate of Argo, one step of many, whatever its loop and retry',
    pod: {
      owner: owned('Workflow', 'train-v0.2-x7k2p'),
      labels: {
        'workflows.argoproj.io/workflow-template': 'train',
        'workflows.argoproj.io/workflow': 'train-v0.2-x7k2p'
      },
      annotations: { 'workflows.argoproj.io/node-name': 'train-v0.2-x7k2p[0].stage(2:seed:0.5)[1].fit(0)' }
    },
    want: 'WorkflowTemplate/train/stage.fit'
  },
  {
    name: 'WorkflowTemplate of one step',
    pod: {
      owner: owned('Workflow', 'train-x7k2p'),
      labels: {
        'workflows.argoproj.io/workflow-template': 'train',
        'workflows.argoproj.io/workflow': 'train-x7k2p'
      },
      annotations: { 'workflows.argoproj.io/node-name': 'train-x7k2p' }
    },
    want: 'WorkflowTemplate/train'
  },
  {
    name: 'WorkflowTemplate whose step cannot be told',
    pod: {
      owner: owned('Workflow', 'train-x7k2p'),
      labels: {
        'workflows.argoproj.io/workflow-template': 'train',
        'workflows.argoproj.io/workflow': 'train-x7k2p'
      },
      annotations: { 'workflows.argoproj.io/node-name': 'another' }
    },
    want: 'WorkflowTemplate/train'
  },
  {
    name: 'Argo Workflow without a template',
    pod: { owner: owned('Workflow', 'once'), labels: { 'workflows.argoproj.io/workflow': 'once' } },
    want: 'Workflow/once'
  },
  {
    name: 'SparkApplication, executor that its driver pod owns',
    pod: {
      owner: owned('Pod', 'etl-driver'),
      labels: { 'sparkoperator.k8s.io/app-name': 'etl', 'spark-role': 'executor' }
    },
    want: 'SparkApplication/etl/executor'
  },
  {
    name: 'ScheduledSparkApplication, whose runs are named by the time',
    pod: {
      owner: owned('SparkApplication', 'etl-1700000000000000000'),
      labels: { 'sparkoperator.k8s.io/app-name': 'etl-1700000000000000000', 'spark-role': 'driver' }
    },
    want: 'SparkApplication/etl/driver'
  },
  {
    name: 'Volcano job',
    pod: {
      owner: owned('Job', 'vj'),
      labels: { 'volcano.sh/job-name': 'vj', 'volcano.sh/task-spec': 'worker' }
    },
    want: 'VolcanoJob/vj/worker'
  },
  {
    name: 'Kubeflow notebook',
    pod: { owner: owned('StatefulSet', 'nb'), labels: { 'notebook-name': 'nb' } },
    want: 'Notebook/nb'
  },
  {
    name: 'JupyterHub server, by the name of its pod',
    pod: { name: 'jupyter-u01', labels: { 'hub.jupyter.org/username': 'u01' } },
    want: 'Pod/jupyter-u01'
  },
  {
    name: 'Tekton pipeline, one of its tasks',
    pod: {
      owner: owned('TaskRun', 'release-run-4-train'),
      labels: {
        'tekton.dev/pipeline': 'release',
        'tekton.dev/pipelineTask': 'train',
        'tekton.dev/task': 'train-model'
      }
    },
    want: 'Pipeline/release/train'
  },
  {
    name: 'Tekton task that runs alone',
    pod: { owner: owned('TaskRun', 'run-4'), labels: { 'tekton.dev/task': 'train-model' } },
    want: 'Task/train-model'
  },
  {
    name: 'GitLab job',
    pod: {
      generateName: 'runner-x-project-12-concurrent-0',
      labels: { 'project.runner.gitlab.com/id': '12' },
      annotations: { 'job.runner.gitlab.com/name': 'gpu-tests' }
    },
    want: 'GitLabProject/12/gpu-tests'
  },
  {
    name: 'Airflow task',
    pod: { name: 'etl-fit-x7k2p', labels: { dag_id: 'etl', task_id: 'fit' } },
    want: 'AirflowTask/etl.fit'
  },
  { name: 'Airflow pod without a task', pod: { labels: { dag_id: 'etl' } }, want: 'AirflowTask/etl' },
  { name: 'bare pod', pod: { name: 'lab' }, want: 'Pod/lab' },
  { name: 'bare pod whose name is not known yet', pod: { generateName: 'lab-' }, want: 'Pod/lab' },
  { name: 'bare pod with a dot before the suffix', pod: { generateName: 'lab.' }, want: 'Pod/lab' },
  { name: 'pod of a node', pod: { name: 'static', owner: owned('Node', 'node-1') }, want: 'Pod/static' },
  { name: 'owner that nobody knows', pod: { owner: owned('Widget', 'w') }, want: 'Widget/w' },
  {
    name: 'labels without a value are no labels',
    pod: {
      owner: owned('StatefulSet', 'db'),
      labels: { dag_id: '', 'ray.io/cluster': '', 'notebook-name': '' }
    },
    want: 'StatefulSet/db'
  },
  {
    name: 'a role without a value is no role',
    pod: { labels: { 'serving.kserve.io/inferenceservice': 'adapter', component: '' } },
    want: 'InferenceService/adapter'
  }
]

for (const { name, pod, known = {}, want } of rows) {
  t.test(`owners: finds the workload: ${name}`, async (t) => {
    const asked: (readonly [string, OwnerRef])[] = []

    const workload = workloadOf(readPod(aPod(pod), 'team-a'), (namespace, owner) => {
      asked.push([namespace, owner])
      const parent = known[owner.name]
      return parent === undefined ? undefined : { apiVersion: '', uid: '', ...parent }
    })

    t.equal(workloadKey(workload), want)
    t.ok(
      asked.every(([namespace, { name }]) => namespace === 'team-a' && name === pod.owner?.name),
      'asks for the owner in its own namespace alone'
    )
  })
}

t.test('names a role only where there is one', async (t) => {
  t.strictSame(
    workloadOf(readPod(aPod({ name: 'lab' }), 'n'), () => undefined),
    { kind: 'Pod', name: 'lab' }
  )
  t.equal(workloadKey({ kind: 'RayCluster', name: 'rc', role: 'gpu' }), 'RayCluster/rc/gpu')
})

t.test('[POD16] a role from an annotation is cleaned and cut', async (t) => {
  const labels = { 'project.runner.gitlab.com/id': '7' }
  const annotations = { 'job.runner.gitlab.com/name': `train\u001b[2J${'x'.repeat(100_000)}` }
  const pod = readPod(aPod({ labels, annotations }), 'team-a')

  const { role = '' } = workloadOf(pod, () => undefined)

  t.match(role, /^train\?\[2Jx+-[0-9a-f]{8}$/)
  t.equal(role.length, 253)
})
