import { COMPLETION_INDEX } from '../pod/pod-template.ts'
import type { ContainerView, PodView } from '../pod/pod-view.ts'
import type { Refusal } from '../sharing/method.ts'

/**
 * Labels of jobs whose pods work together.
 * @source documentation of Kubeflow training operator (old and new labels) and trainer, MPI operator, JobSet, LeaderWorkerSet
 */
const rankLabels = [
  'training.kubeflow.org/job-name',
  'training.kubeflow.org/replica-type',
  'trainer.kubeflow.org/trainjob-ancestor-step',
  'pytorch-job-name',
  'tf-job-name',
  'mpi-job-name',
  'mpi_job_name',
  'jobset.sigs.k8s.io/jobset-name',
  'leaderworkerset.sigs.k8s.io/name'
]

/** Why the pod is one rank of a job of several pods, all of which must get the same; undefined when it is none. */
export function multiPodJob(pod: PodView, gpuContainers: readonly ContainerView[]): Refusal | undefined {
  const sentence = whyByPod(pod) ?? whyByContainers(pod, gpuContainers)
  return sentence === undefined ? undefined : { reason: 'MultiPodJob', sentence }
}

function whyByPod({ labels, annotations, subdomain, schedulingGroup }: PodView): string | undefined {
  const label = rankLabels.find((key) => Object.hasOwn(labels, key))
  if (label !== undefined) return `label ${label} marks one rank of a job of several pods`
  if (schedulingGroup !== undefined)
    return `the pod is placed together with those of group ${schedulingGroup}`
  const isIndexed = [labels, annotations].some((map) => Object.hasOwn(map, COMPLETION_INDEX))
  return isIndexed && subdomain !== undefined
    ? `the pod has an index in its Job, and finds the others by the name ${subdomain}`
    : undefined
}

function whyByContainers(pod: PodView, gpuContainers: readonly ContainerView[]): string | undefined {
  for (const { name, limits } of pod.containers) {
    const [rdma] = Object.keys(limits ?? {})
      .filter((key) => key.startsWith('rdma/'))
      .sort()
    if (rdma !== undefined) return `container ${name} asks for ${rdma}, as ranks of a job do`
  }
  for (const container of gpuContainers) {
    const setting = rankSettingOf(container)
    if (setting !== undefined) return `container ${container.name} has ${setting}, as ranks of a job do`
  }
  return undefined
}

/** A whole number above 1, or a range that ends with one: `2`, `16`, `1:4`. */
const several = '((?:[0-9]+:)?0*(?:[2-9]|[1-9][0-9]+))'
const severalNodes = new RegExp(
  `(?<![\\w-])(--nnodes|--num[_-]nodes|--num[_-]machines)(?:=|\\s+)["']?${several}\\b`
)
const severalRanks = new RegExp(`^${several}$`)

/** Variables that hold how many nodes or processes a job has. */
const rankVariables = ['WORLD_SIZE', 'PET_NNODES', 'NNODES', 'NUM_PROCESSES', 'JAX_NUM_PROCESSES']

/**
 * The setting by which a container says that it is one rank of several, as a word or `NAME=value`; undefined when it says
 * nothing of the kind.
 * @source documentation of torchrun, DeepSpeed, Accelerate, PyTorch's environment for process groups, Kubeflow's JAXJob
 */
export function rankSettingOf({ words, env }: ContainerView): string | undefined {
  const [, flag, nodes] = severalNodes.exec(words.join(' ')) ?? []
  if (nodes !== undefined) return `${flag}=${nodes}`
  const name = rankVariables.find((key) => severalRanks.test(env[key]?.trim() ?? ''))
  return name === undefined ? undefined : `${name}=${env[name]}`
}
