import t from 'tap'
import type { WorkloadRef } from '../../../../src/core/pod/workload.ts'
import { fitsName, templateOfName } from '../../../../src/core/usage/attribution/name-patterns.ts'

function ref(text: string): WorkloadRef {
  const [kind = '', name = '', role] = text.split('/')
  return role === undefined ? { kind, name } : { kind, name, role }
}

const fitting: readonly (readonly [string, string])[] = [
  ['Deployment/api', 'api-7c9d8f6b5d-x2k4p'],
  ['Rollout/api', 'api-5f7d9c8b6-2xk9p'],
  ['ReplicaSet/api-7c9d8f6b5d', 'api-7c9d8f6b5d-x2k4p'],
  ['ReplicationController/api', 'api-x2k4p'],
  ['DaemonSet/agent', 'agent-x2k4p'],
  ['DeploymentConfig/api', 'api-12-x2k4p'],
  ['StatefulSet/db', 'db-0'],
  ['StatefulSet/db', 'db-117'],
  ['Notebook/nb', 'nb-0'],
  ['Job/train', 'train-x2k4p'],
  ['Job/train', 'train-3-x2k4p'],
  ['CronJob/nightly', 'nightly-29488320-x2k4p'],
  ['CronJob/nightly', 'nightly-29488320-0-x2k4p'],
  ['JobSet/js/worker', 'js-worker-0-1-x2k4p'],
  ['LeaderWorkerSet/lws/leader', 'lws-0'],
  ['LeaderWorkerSet/lws/worker', 'lws-0-3'],
  ['RayCluster/rc/gpu-group', 'rc-gpu-group-worker-x2k4p'],
  ['RayCluster/rc/gpu-group', 'rc-worker-gpu-group-x2k4p'],
  ['RayCluster/rc/headgroup', 'rc-head-x2k4p'],
  ['RayCluster/rc/head', 'rc-head'],
  ['RayService/rs/gpu', 'rs-raycluster-b7k2m-gpu-worker-x2k4p'],
  ['RayJob/rj/headgroup', 'rj-b7k2m-head-x2k4p'],
  ['PyTorchJob/pt/worker', 'pt-worker-1'],
  ['PyTorchJob/pt/master', 'pt-master-0'],
  ['TFJob/tf/chief', 'tf-chief-0'],
  ['MPIJob/mpi/launcher', 'mpi-launcher-x2k4p'],
  ['MPIJob/mpi/launcher', 'mpi-launcher'],
  ['MPIJob/mpi/worker', 'mpi-worker-2'],
  ['VolcanoJob/vj/task1', 'vj-task1-0'],
  ['InferenceService/llm/predictor', 'llm-predictor-7c9d8f6b5d-x2k4p'],
  ['InferenceService/llm/predictor', 'llm-predictor-default-00003-deployment-7c9d8f6b5d-x2k4p'],
  ['InferenceService/llm/transformer', 'llm-transformer-00001-deployment-7c9d8f6b5d-x2k4p'],
  ['Service/hello', 'hello-00002-deployment-7c9d8f6b5d-x2k4p'],
  ['Configuration/hello', 'hello-00002-deployment-7c9d8f6b5d-x2k4p'],
  ['CronWorkflow/sweep/fit', 'sweep-1767225600-fit-123456789'],
  ['WorkflowTemplate/sweep/fit', 'sweep-x2k4p-fit-123456789'],
  ['SparkApplication/etl/driver', 'etl-driver'],
  ['SparkApplication/etl/driver', 'etl-1767225600000000000-driver'],
  ['SparkApplication/etl/executor', 'etl-0a1b2c3d4e5f6071-exec-12'],
  ['SparkApplication/etl/executor', 'etl-1767225600000000000-0a1b2c3d4e5f6071-exec-1'],
  ['Pod/jupyter-alice', 'jupyter-alice']
]

for (const [workload, pod] of fitting) {
  t.test(`[USE12] ${pod} may have been of ${workload}`, async (t) => {
    t.equal(fitsName(pod, ref(workload)), true)
  })
}

const others: readonly (readonly [string, string])[] = [
  ['Deployment/api', 'api-worker-7c9d8f6b5d-x2k4p'],
  ['Deployment/api', 'api-7c9d8f6b5d-x2k4'],
  ['Deployment/api', 'api-aeiou12345-x2k4p'],
  ['Deployment/api', 'apis-7c9d8f6b5d-x2k4p'],
  ['Deployment/api', 'api'],
  ['StatefulSet/db', 'db-0-0'],
  ['StatefulSet/db', 'db-x2k4p'],
  ['DaemonSet/agent', 'agent-0'],
  ['CronJob/nightly', 'nightly-20240131-x2k4p'],
  ['CronJob/nightly', 'nightly-x2k4p'],
  ['JobSet/js', 'js-worker-0-1-x2k4p'],
  ['RayCluster/rc/gpu-group', 'rc-cpu-group-worker-x2k4p'],
  ['PyTorchJob/pt', 'pt-worker-1'],
  ['InferenceService/llm/predictor', 'llm-transformer-7c9d8f6b5d-x2k4p'],
  ['WorkflowTemplate/sweep', 'sweep-x2k4p-fit-123456789'],
  ['Pod/train', 'train'],
  ['Pod/jupyter-alice', 'jupyter-alice-2'],
  ['GitLabProject/42', 'runner-a1b2-project-42-concurrent-0-x2k4p'],
  ['AirflowTask/etl.load', 'etl-load-x2k4p'],
  [`Deployment/${'a'.repeat(47)}`, `${'a'.repeat(47)}-7c9d8f6b5d-x2k4p`],
  [`Job/${'a'.repeat(57)}`, `${'a'.repeat(57)}-x2k4p`],
  ['MPIJob/m/a.b', 'm-aXb-0']
]

for (const [workload, pod] of others) {
  t.test(`[USE12] ${pod} tells nothing of ${workload}`, async (t) => {
    t.equal(fitsName(pod, ref(workload)), false)
  })
}

t.test(
  '[USE12] the template of a pod is its name without the random end, where names change with templates',
  async (t) => {
    t.equal(templateOfName('api-7c9d8f6b5d-x2k4p', ref('Deployment/api')), 'api-7c9d8f6b5d')
    t.equal(templateOfName('train-3-x2k4p', ref('Job/train')), 'train-3')
    t.equal(templateOfName('agent-x2k4p', ref('DaemonSet/agent')), undefined)
    t.equal(templateOfName('db-0', ref('StatefulSet/db')), undefined)
    t.equal(templateOfName('other', ref('Deployment/api')), undefined)
  }
)
