// Explains why the pods of a Deployment do not run, and how to fix it, from their status and that of the Deployment.

export type ContainerState = {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string };
};

export type Pod = {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
};

type ContainerStatus = {
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
};

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

/** `next` is a command or another fix. A container that is still starting is not a fault. */
export type PodFault = { readonly what: string; readonly next: string };

export function faultsOfPod({ metadata, status = {} }: Pod): readonly PodFault[] {
  const { name, namespace, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return [];
  const { phase, reason, message, conditions = [], containerStatuses = [] } = status;
  const unschedulable = conditions.find((one) => one.type === "PodScheduled" && one.status === "False");
  if (unschedulable !== undefined) {
    const next =
      "free capacity, or allow the pods to run on other nodes: check kubectl get nodes, and the tolerations and affinity in config/manager/pod";
    return [{ what: `pod ${name} cannot be scheduled: ${unschedulable.message ?? unschedulable.reason}`, next }];
  }
  if (phase === "Failed" && containerStatuses.length === 0)
    return [
      { what: `pod ${name} failed: ${[reason, message].filter(Boolean).join(", ")}`, next: describe(namespace, name) },
    ];
  return containerStatuses.flatMap((container) => faultOfContainer(container, namespace, name) ?? []);
}

const imageReasons = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];
const patientReasons = ["ContainerCreating", "PodInitializing"];

function faultOfContainer(container: ContainerStatus, namespace: string, pod: string): PodFault | undefined {
  const { state = {}, lastState = {}, restartCount = 0, ready = false } = container;
  const { reason, message } = state.waiting ?? {};
  if (reason !== undefined && imageReasons.includes(reason)) {
    const next =
      "check that IMG exists and that the cluster can pull it; a private registry requires a pull secret in the ServiceAccount";
    return { what: `pod ${pod} cannot pull its image: ${withMessage(reason, message)}`, next };
  }
  const ended = state.terminated ?? (restartCount > 0 ? lastState.terminated : undefined);
  if (ended !== undefined && !ready) {
    const last = lastLine(ended.message);
    const end = ended.reason === "OOMKilled" ? "out of memory" : `exit code ${ended.exitCode ?? "unknown"}`;
    const times = restartCount > 0 ? `, restarted ${restartCount} times` : "";
    const what = `pod ${pod} is in a crash loop (${end}${times})${last === "" ? "" : `; last line of its log: ${last}`}`;
    return { what, next: `kubectl -n ${namespace} logs ${pod} --previous` };
  }
  if (reason !== undefined && !patientReasons.includes(reason))
    return { what: `pod ${pod}: ${withMessage(reason, message)}`, next: describe(namespace, pod) };
  if (state.running !== undefined && !ready)
    return { what: `pod ${pod} is running but not ready`, next: `kubectl -n ${namespace} logs ${pod}` };
  return undefined;
}

/** Returns faults of pods that the ReplicaSet could not create. */
export function faultsOfConditions(conditions: readonly Condition[], namespace: string): readonly PodFault[] {
  return conditions
    .filter(({ type, status }) => type === "ReplicaFailure" && status === "True")
    .map(({ message = "" }) => ({ what: `cannot create pods: ${message}`, next: remedyFor(message, namespace) }));
}

function remedyFor(message: string, namespace: string): string {
  if (/violates PodSecurity/.test(message))
    return `the pods were modified: deploy the original manifests, or check the labels of the namespace: kubectl get namespace ${namespace} --show-labels`;
  if (/exceeded quota|failed quota/.test(message))
    return `raise or remove the quota: kubectl -n ${namespace} get resourcequota`;
  if (/serviceaccount/i.test(message)) return "deploy again: the ServiceAccount is missing";
  return `kubectl -n ${namespace} get events`;
}

function withMessage(reason: string, message: string | undefined): string {
  return message === undefined ? reason : `${reason} (${message})`;
}

function describe(namespace: string, pod: string): string {
  return `kubectl -n ${namespace} describe pod ${pod}`;
}

function lastLine(message = ""): string {
  return message.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
