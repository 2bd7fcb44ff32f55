import type { JsonRecord } from '../../../src/core/json.ts'

/** A pod as a well-known chart or operator makes it, reduced to what isolation could stumble over. */
export interface HonestPod {
  readonly says: string
  readonly pod: JsonRecord
}

const GPU = { resources: { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } } }
const SLICE = { resources: { limits: { 'nvidia.com/mig-1g.10gb': '1' } } }
const TWO = { resources: { limits: { 'nvidia.com/gpu': '2' } } }
const restricted = {
  securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } }
}
const shm = { volumeMounts: [{ name: 'dshm', mountPath: '/dev/shm' }] }
const dshm = { volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory' } }] }
const env = (entries: Readonly<Record<string, string>>): JsonRecord => ({
  env: Object.entries(entries).map(([name, value]) => ({ name, value }))
})

function container(name: string, ...fields: readonly JsonRecord[]): JsonRecord {
  return Object.assign({ name, image: `registry.example/${name}:1` }, ...fields)
}

interface Shape {
  readonly says: string
  readonly containers: readonly JsonRecord[]
  readonly initContainers?: readonly JsonRecord[]
  readonly spec?: JsonRecord
  readonly metadata?: JsonRecord
}

const istioProxy = container('istio-proxy', {
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'ISTIO_META_CLUSTER_ID', value: 'Kubernetes' },
    { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }
  ],
  securityContext: { runAsUser: 1337, capabilities: { drop: ['ALL'] } }
})
const istioInit = container('istio-init', {
  securityContext: { runAsUser: 0, capabilities: { add: ['NET_ADMIN', 'NET_RAW'], drop: ['ALL'] } }
})
const linkerdProxy = container('linkerd-proxy', { restartPolicy: 'Always' }, restricted)
const vaultInit = container('vault-agent-init', {
  volumeMounts: [{ name: 'vault', mountPath: '/vault/secrets' }]
})
const vaultVolume = { name: 'vault', emptyDir: { medium: 'Memory' } }

const serving: readonly Shape[] = [
  {
    says: 'KServe predictor with queue-proxy',
    containers: [
      container('kserve-container', GPU, shm),
      container('queue-proxy', env({ SERVING_PORT: '8080' }))
    ],
    initContainers: [container('storage-initializer')],
    spec: dshm,
    metadata: { labels: { 'serving.kserve.io/inferenceservice': 'llm' } }
  },
  { says: 'KServe on a slice', containers: [container('kserve-container', SLICE)] },
  {
    says: 'KServe model mesh',
    containers: [container('mm'), container('triton', GPU), container('triton-adapter')]
  },
  {
    says: 'vLLM with shared memory',
    containers: [
      container(
        'vllm',
        TWO,
        shm,
        env({ VLLM_WORKER_MULTIPROC_METHOD: 'spawn', LD_LIBRARY_PATH: '/usr/local/cuda/lib64:' })
      )
    ],
    spec: dshm
  },
  {
    says: 'vLLM with hostIPC and a whole GPU',
    containers: [container('vllm', GPU)],
    spec: { hostIPC: true }
  },
  {
    says: 'vLLM with its token from a Secret',
    containers: [
      container('vllm', GPU, {
        env: [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } }]
      })
    ]
  },
  {
    says: 'vLLM with all of a Secret',
    containers: [container('vllm', GPU, { envFrom: [{ secretRef: { name: 'hf' } }] })]
  },
  {
    says: 'Triton',
    containers: [container('triton', GPU, shm, env({ NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' }))],
    spec: dshm
  },
  {
    says: 'Triton with tcmalloc',
    containers: [container('triton', GPU, env({ LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4' }))]
  },
  {
    says: 'TGI with jemalloc by name',
    containers: [container('tgi', GPU, env({ LD_PRELOAD: 'libjemalloc.so.2' }))]
  },
  {
    says: 'two allocators',
    containers: [container('app', GPU, env({ LD_PRELOAD: '/opt/lib/libjemalloc.so:/opt/lib/libiomp5.so' }))]
  },
  { says: 'CUDA_VISIBLE_DEVICES', containers: [container('app', GPU, env({ CUDA_VISIBLE_DEVICES: '0' }))] },
  { says: 'runtime class nvidia', containers: [container('app', GPU)], spec: { runtimeClassName: 'nvidia' } },
  {
    says: 'a sandbox with a GPU',
    containers: [container('app', GPU)],
    spec: { runtimeClassName: 'kata-qemu' }
  },
  { says: 'a sandbox without a GPU', containers: [container('app')], spec: { runtimeClassName: 'gvisor' } },
  {
    says: 'another runtime without a GPU',
    containers: [container('app')],
    spec: { runtimeClassName: 'other' }
  },
  {
    says: 'model cache on a claim',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'cache', mountPath: '/models' }] })],
    spec: { volumes: [{ name: 'cache', persistentVolumeClaim: { claimName: 'models' } }] }
  },
  {
    says: 'model cache on a disk of the node',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'cache', mountPath: '/models' }] })],
    spec: { volumes: [{ name: 'cache', hostPath: { path: '/mnt/disks/ssd0/models' } }] }
  },
  {
    says: 'local zone data',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'tz', mountPath: '/etc/localtime' }] })],
    spec: { volumes: [{ name: 'tz', hostPath: { path: '/etc/localtime' } }] }
  }
]

const training: readonly Shape[] = [
  { says: 'Job with a GPU', containers: [container('train', GPU)], spec: { restartPolicy: 'Never' } },
  { says: 'Job without a GPU', containers: [container('prepare')], spec: { restartPolicy: 'OnFailure' } },
  {
    says: 'PyTorchJob worker',
    containers: [container('pytorch', GPU, env({ NCCL_DEBUG: 'INFO' }))],
    initContainers: [container('init-pytorch')],
    metadata: {
      labels: { 'training.kubeflow.org/job-name': 'bert', 'training.kubeflow.org/replica-type': 'worker' }
    }
  },
  {
    says: 'MPI launcher',
    containers: [container('mpi', env({ NVIDIA_VISIBLE_DEVICES: '', NVIDIA_DRIVER_CAPABILITIES: '' }))]
  },
  { says: 'MPI worker', containers: [container('mpi', TWO)] },
  {
    says: 'NCCL over RDMA',
    containers: [
      container('train', {
        resources: { limits: { 'nvidia.com/gpu': '8', 'rdma/hca': '1' } },
        securityContext: { capabilities: { add: ['IPC_LOCK'] } }
      })
    ]
  },
  {
    says: 'RDMA device of the host',
    containers: [container('train', GPU, { volumeMounts: [{ name: 'ib', mountPath: '/dev/infiniband' }] })],
    spec: { volumes: [{ name: 'ib', hostPath: { path: '/dev/infiniband' } }] }
  },
  {
    says: 'Ray head',
    containers: [container('ray-head', shm, env({ RAY_USAGE_STATS_ENABLED: '0' })), container('autoscaler')],
    spec: dshm
  },
  {
    says: 'Ray worker',
    containers: [container('ray-worker', GPU, shm)],
    initContainers: [container('wait-gcs-ready')],
    spec: dshm
  },
  { says: 'Spark executor with a GPU', containers: [container('spark-executor', GPU)] },
  {
    says: 'Argo step',
    containers: [
      container('main', GPU),
      container('wait', { envFrom: [{ prefix: 'ARGO_', configMapRef: { name: 'c' } }] })
    ],
    initContainers: [container('init')]
  },
  { says: 'Airflow task', containers: [container('base', GPU), container('airflow-xcom-sidecar')] },
  { says: 'Tekton step', containers: [container('step-build')], initContainers: [container('prepare')] },
  {
    says: 'JobSet worker',
    containers: [container('worker', GPU)],
    metadata: { labels: { 'jobset.sigs.k8s.io/jobset-name': 'j' } }
  },
  {
    says: 'Volcano worker',
    containers: [container('worker', GPU)],
    spec: { schedulerName: 'volcano' }
  },
  {
    says: 'Kueue-managed pod',
    containers: [container('worker', GPU)],
    metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'q' } }
  },
  {
    says: 'profiler with SYS_PTRACE beside it',
    containers: [
      container('main', GPU),
      container('prof', { securityContext: { capabilities: { add: ['SYS_PTRACE'] } } })
    ],
    spec: { shareProcessNamespace: true }
  },
  {
    says: 'SYS_ADMIN without MIG variables',
    containers: [container('main', GPU, { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })]
  },
  {
    says: 'two slices of two kinds',
    containers: [
      container('a', SLICE),
      container('b', { resources: { limits: { 'nvidia.com/mig-2g.20gb': '1' } } })
    ]
  },
  {
    says: 'several slices',
    containers: [container('a', { resources: { limits: { 'nvidia.com/mig-1g.10gb': '2' } } })]
  },
  {
    says: 'a resource claim',
    containers: [container('main', { resources: { claims: [{ name: 'gpu' }] } })],
    spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] }
  }
]

const notebooks: readonly Shape[] = [
  {
    says: 'Kubeflow notebook',
    containers: [container('nb', GPU, shm, env({ NB_PREFIX: '/notebook/a/nb' }))],
    spec: dshm,
    metadata: { labels: { 'notebook-name': 'nb' } }
  },
  {
    says: 'Kubeflow notebook behind Istio',
    containers: [container('nb', GPU), istioProxy],
    initContainers: [istioInit]
  },
  {
    says: 'JupyterHub server without a GPU',
    containers: [container('notebook', env({ NVIDIA_VISIBLE_DEVICES: 'none' }))]
  },
  {
    says: 'JupyterHub server that hides GPUs',
    containers: [container('notebook', env({ NVIDIA_VISIBLE_DEVICES: 'void' }))]
  },
  {
    says: 'JupyterHub with a block of network',
    containers: [container('notebook', GPU)],
    initContainers: [
      container('block-cloud-metadata', {
        securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN'] } }
      })
    ]
  },
  {
    says: 'code server',
    containers: [container('code-server', SLICE)],
    initContainers: [container('clone', { volumeMounts: [{ name: 'home', mountPath: '/home' }] })],
    spec: { volumes: [{ name: 'home', emptyDir: {} }] }
  },
  {
    says: 'MLflow',
    containers: [
      container('mlflow', {
        envFrom: [{ configMapRef: { name: 'mlflow' } }, { secretRef: { name: 'mlflow' } }]
      })
    ]
  },
  { says: 'TensorBoard', containers: [container('tb')] }
]

const meshed: readonly Shape[] = [
  { says: 'Istio sidecar', containers: [container('app', GPU), istioProxy], initContainers: [istioInit] },
  {
    says: 'Istio native sidecar',
    containers: [container('app', GPU)],
    initContainers: [istioInit, { ...istioProxy, restartPolicy: 'Always' }]
  },
  {
    says: 'Linkerd native sidecar',
    containers: [container('app', GPU)],
    initContainers: [
      container('linkerd-init', { securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } } }),
      linkerdProxy
    ]
  },
  { says: 'mesh without a GPU', containers: [container('web'), istioProxy], initContainers: [istioInit] },
  {
    says: 'Vault agent',
    containers: [container('app', GPU), container('vault-agent')],
    initContainers: [vaultInit],
    spec: { volumes: [vaultVolume] },
    metadata: { annotations: { 'vault.hashicorp.com/agent-inject': 'true' } }
  },
  {
    says: 'secrets store CSI',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'secrets', mountPath: '/mnt/secrets' }] })],
    spec: {
      volumes: [
        {
          name: 'secrets',
          csi: {
            driver: 'secrets-store.csi.k8s.io',
            readOnly: true,
            volumeAttributes: { secretProviderClass: 'vault' }
          }
        }
      ]
    }
  },
  {
    says: 'cert-manager CSI',
    containers: [container('app', { volumeMounts: [{ name: 'tls', mountPath: '/tls' }] })],
    spec: {
      volumes: [
        {
          name: 'tls',
          csi: {
            driver: 'csi.cert-manager.io',
            readOnly: true,
            volumeAttributes: { 'csi.cert-manager.io/issuer-name': 'ca' }
          }
        }
      ]
    }
  },
  {
    says: 'SPIFFE CSI',
    containers: [container('app', GPU)],
    spec: { volumes: [{ name: 'spiffe', csi: { driver: 'csi.spiffe.io', readOnly: true } }] }
  },
  {
    says: 'GCS by FUSE',
    containers: [container('app', GPU), container('gke-gcsfuse-sidecar')],
    spec: {
      volumes: [
        {
          name: 'gcs',
          csi: {
            driver: 'gcsfuse.csi.storage.gke.io',
            volumeAttributes: { bucketName: 'b', mountOptions: 'implicit-dirs' }
          }
        }
      ]
    }
  },
  {
    says: 'NFS inline',
    containers: [container('app', GPU)],
    spec: {
      volumes: [
        { name: 'nfs', csi: { driver: 'nfs.csi.k8s.io', volumeAttributes: { server: 'nfs', share: '/' } } }
      ]
    }
  },
  {
    says: 'log shipper beside the app',
    containers: [
      container('app', GPU),
      container('fluent-bit', { volumeMounts: [{ name: 'logs', mountPath: '/logs' }] })
    ],
    spec: { volumes: [{ name: 'logs', emptyDir: {} }] }
  },
  {
    says: 'node logs',
    containers: [
      container('promtail', { volumeMounts: [{ name: 'pods', mountPath: '/var/log/pods', readOnly: true }] })
    ],
    spec: { volumes: [{ name: 'pods', hostPath: { path: '/var/log/pods' } }] }
  },
  {
    says: 'OpenTelemetry agent',
    containers: [
      container('app', GPU, {
        env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }]
      }),
      container('otel')
    ]
  },
  {
    says: 'privileged set-up without a GPU',
    containers: [container('db')],
    initContainers: [container('sysctl', { securityContext: { privileged: true } })]
  },
  {
    says: 'build in a privileged container without a GPU',
    containers: [container('dind', { securityContext: { privileged: true } })]
  },
  {
    says: 'database with hostPath data',
    containers: [container('db', { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    spec: { volumes: [{ name: 'data', hostPath: { path: '/srv/data', type: 'DirectoryOrCreate' } }] }
  },
  {
    says: 'projected token',
    containers: [
      container('app', GPU, { volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/tokens' }] })
    ],
    spec: {
      volumes: [
        {
          name: 'token',
          projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] }
        }
      ]
    }
  },
  {
    says: 'emptyDir at /tmp',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] })],
    spec: { volumes: [{ name: 'tmp', emptyDir: {} }] }
  },
  {
    says: 'emptyDir at /var/run',
    containers: [container('app', GPU, { volumeMounts: [{ name: 'run', mountPath: '/var/run' }] })],
    spec: { volumes: [{ name: 'run', emptyDir: {} }] }
  },
  {
    says: 'MPS of its own on a whole GPU',
    containers: [container('app', GPU, env({ CUDA_MPS_PIPE_DIRECTORY: '/tmp/mps' }))]
  },
  {
    says: 'hostname as node selector',
    containers: [container('app', GPU)],
    spec: { nodeSelector: { 'kubernetes.io/hostname': 'gpu-1' } }
  },
  { says: 'host network', containers: [container('app', GPU)], spec: { hostNetwork: true } },
  {
    says: 'every restriction of Pod Security',
    containers: [container('app', GPU, restricted)],
    spec: { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } }
  }
]

/** Pods without a GPU, by what they set. */
const plainPods: readonly (readonly [says: string, fields: JsonRecord])[] = [
  ['MLflow server', env({ MLFLOW_S3_ENDPOINT_URL: 'http://minio:9000', AWS_ACCESS_KEY_ID: 'x' })],
  ['Redis', env({ REDIS_AOF_ENABLED: 'no' })],
  ['PostgreSQL', env({ POSTGRES_DB: 'app', PGDATA: '/var/lib/postgresql/data/pgdata' })],
  ['ingress controller', env({ LD_PRELOAD: '/usr/local/lib/libmimalloc.so' })],
  ['OpenTelemetry collector', env({ GOMEMLIMIT: '400MiB' })],
  ['Airflow worker', env({ AIRFLOW__CORE__EXECUTOR: 'KubernetesExecutor', PYTHONPATH: '/opt/airflow' })],
  ['Prefect agent', env({ PREFECT_API_URL: 'http://prefect:4200/api' })],
  ['Dask scheduler', env({ DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING: 'True' })],
  ['Spark driver', env({ SPARK_LOCAL_DIRS: '/var/data/spark', LD_LIBRARY_PATH: '/opt/hadoop/lib/native:' })],
  ['Flyte propeller task', env({ FLYTE_INTERNAL_IMAGE: 'registry.example/task:1' })],
  ['feature store', env({ FEAST_USAGE: 'False' })],
  ['vector database', env({ QDRANT__SERVICE__GRPC_PORT: '6334' })],
  ['Gradio demo', env({ NVIDIA_VISIBLE_DEVICES: 'void' })]
]

/** What else lives in a team's namespace, most of it without a GPU. */
const around: readonly Shape[] = [
  ...plainPods.map(([says, fields]): Shape => ({ says, containers: [container('main', fields)] })),
  {
    says: 'Linkerd beside a model server',
    containers: [container('server', SLICE), container('linkerd-proxy', env({ LINKERD2_PROXY_LOG: 'warn' }))],
    initContainers: [
      container('linkerd-init', { securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } } })
    ]
  },
  {
    says: 'Tekton step with a workspace',
    containers: [container('step-build', { volumeMounts: [{ name: 'ws', mountPath: '/workspace/source' }] })],
    spec: { volumes: [{ name: 'ws', persistentVolumeClaim: { claimName: 'ws' } }] }
  },
  {
    says: 'Argo Workflows with its executor',
    containers: [container('main', GPU), container('wait', env({ ARGO_CONTAINER_NAME: 'wait' }))],
    spec: { volumes: [{ name: 'var-run-argo', emptyDir: {} }] }
  },
  {
    says: 'CUDA library path of an image',
    containers: [
      container(
        'main',
        GPU,
        env({ LD_LIBRARY_PATH: '/usr/local/nvidia/lib:/usr/local/nvidia/lib64:/opt/conda/lib' })
      )
    ]
  },
  {
    says: 'data on a scratch disk of the node',
    containers: [container('main', GPU, { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] })],
    spec: { volumes: [{ name: 'scratch', hostPath: { path: '/mnt/nvme/scratch', type: 'Directory' } }] }
  },
  {
    says: 'secrets by an inline CSI volume',
    containers: [container('main', SLICE, { volumeMounts: [{ name: 'secrets', mountPath: '/secrets' }] })],
    spec: {
      volumes: [
        {
          name: 'secrets',
          csi: {
            driver: 'secrets-store.csi.k8s.io',
            readOnly: true,
            volumeAttributes: { secretProviderClass: 'team' }
          }
        }
      ]
    }
  },
  {
    says: 'GPU, cores and memory by exact requests, spread over zones',
    containers: [container('main', GPU)],
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app: 'x' } }
        }
      ]
    }
  }
]

/** Pods of tenants that break no rule: none may be refused. */
export const honestPods: readonly HonestPod[] = [
  ...serving,
  ...training,
  ...notebooks,
  ...meshed,
  ...around
].map(({ says, containers, initContainers = [], spec = {}, metadata = {} }, index) => ({
  says,
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `honest-${index}`, ...metadata },
    spec: { containers, initContainers, ...spec }
  }
}))

const host = (name: string, path: string): JsonRecord => ({ name, hostPath: { path } })
const privileged = { securityContext: { privileged: true } }

/** Agents of the node as their charts make them, and whether they reach what tenants may not. */
export const infrastructurePods: readonly (HonestPod & { readonly reachesHost: boolean })[] = [
  {
    says: 'device plugin',
    reachesHost: true,
    containers: [
      container(
        'plugin',
        { volumeMounts: [{ name: 'dp', mountPath: '/var/lib/kubelet/device-plugins' }] },
        env({ NVIDIA_MIG_MONITOR_DEVICES: 'all' })
      )
    ],
    spec: { volumes: [host('dp', '/var/lib/kubelet/device-plugins')] }
  },
  {
    says: 'operator validator',
    reachesHost: true,
    containers: [container('validator', GPU)],
    spec: { nodeName: 'gpu-1', runtimeClassName: 'nvidia' }
  },
  {
    says: 'DCGM exporter',
    reachesHost: true,
    containers: [
      container(
        'dcgm',
        { volumeMounts: [{ name: 'pod', mountPath: '/var/lib/kubelet/pod-resources' }] },
        env({ NVIDIA_VISIBLE_DEVICES: 'all' })
      )
    ],
    spec: { volumes: [host('pod', '/var/lib/kubelet/pod-resources')] }
  },
  {
    says: 'driver toolkit',
    reachesHost: true,
    containers: [
      container('toolkit', privileged, { volumeMounts: [{ name: 'run', mountPath: '/run/nvidia' }] })
    ],
    spec: { hostPID: true, volumes: [host('run', '/run/nvidia')] }
  },
  {
    says: 'MIG manager',
    reachesHost: true,
    containers: [container('mig', privileged, env({ NVIDIA_MIG_CONFIG_DEVICES: 'all' }))]
  },
  {
    says: 'node exporter',
    reachesHost: true,
    containers: [
      container('node-exporter', { volumeMounts: [{ name: 'root', mountPath: '/host', readOnly: true }] })
    ],
    spec: { hostPID: true, hostNetwork: true, volumes: [host('root', '/')] }
  },
  {
    says: 'CSI driver of the node',
    reachesHost: true,
    containers: [container('csi', privileged, { volumeMounts: [{ name: 'plugins', mountPath: '/csi' }] })],
    spec: { volumes: [host('plugins', '/var/lib/kubelet/plugins')] }
  },
  {
    says: 'RDMA device plugin',
    reachesHost: true,
    containers: [
      container('rdma', privileged, { volumeMounts: [{ name: 'k', mountPath: '/var/lib/kubelet' }] })
    ],
    spec: { volumes: [host('k', '/var/lib/kubelet')] }
  },
  { says: 'operator itself', reachesHost: false, containers: [container('operator')] }
].map(({ says, reachesHost, containers, spec = {} }, index) => ({
  says,
  reachesHost,
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `infra-${index}`,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          name: 'd',
          uid: '0b8c9d9e-0000-4000-8000-000000000002',
          controller: true
        }
      ]
    },
    spec: { containers, ...spec }
  }
}))
