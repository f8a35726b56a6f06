import { expect, test } from "vitest";
import { faultsOfConditions, faultsOfPod, type Pod, type PodFault } from "./pod-faults.ts";

const metadata = { name: "manager-1", namespace: "operators" };
const withContainer = (container: object): Pod => ({ metadata, status: { containerStatuses: [container] } });
const ended = { reason: "Error", exitCode: 2, message: "{}\nvirt-operator: unknown flag --x; see --help\n" };

const cases: readonly { readonly reason: string; readonly pod: Pod; readonly faults: readonly string[] }[] = [
  { reason: "a pod without a status has no fault", pod: { metadata }, faults: [] },
  {
    reason: "a container that is being created has no fault",
    pod: withContainer({ state: { waiting: { reason: "ContainerCreating" } } }),
    faults: [],
  },
  {
    reason: "a ready container has no fault after a restart",
    pod: withContainer({ ready: true, restartCount: 1, state: { running: {} }, lastState: { terminated: ended } }),
    faults: [],
  },
  {
    reason: "a terminating pod has no fault",
    pod: { metadata: { ...metadata, deletionTimestamp: "now" }, status: { phase: "Failed", reason: "Evicted" } },
    faults: [],
  },
  {
    reason: "reports an image that cannot be pulled with the kubelet's message",
    pod: withContainer({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } }),
    faults: ["pod manager-1 cannot pull its image: ErrImagePull (manifest unknown)"],
  },
  {
    reason: "reports a crash loop with exit code, restarts and last log line",
    pod: withContainer({
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
      lastState: { terminated: ended },
    }),
    faults: [
      "pod manager-1 is in a crash loop (exit code 2, restarted 3 times); last line of its log: virt-operator: unknown flag --x; see --help",
    ],
  },
  {
    reason: "reports a container that ran out of memory",
    pod: withContainer({ state: { terminated: { reason: "OOMKilled", exitCode: 137 } } }),
    faults: ["pod manager-1 is in a crash loop (out of memory)"],
  },
  {
    reason: "reports an unscheduled pod with the scheduler's message",
    pod: {
      metadata,
      status: {
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
        ],
      },
    },
    faults: ["pod manager-1 cannot be scheduled: 0/3 nodes are available"],
  },
  {
    reason: "reports a missing Secret",
    pod: withContainer({
      state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "a" not found' } },
    }),
    faults: ['pod manager-1: CreateContainerConfigError (secret "a" not found)'],
  },
  {
    reason: "reports a running container that is not ready",
    pod: withContainer({ ready: false, state: { running: {} } }),
    faults: ["pod manager-1 is running but not ready"],
  },
  {
    reason: "reports a pod that its node rejected",
    pod: { metadata, status: { phase: "Failed", reason: "OutOfmemory", message: "Node didn't have enough" } },
    faults: ["pod manager-1 failed: OutOfmemory, Node didn't have enough"],
  },
];

test.each(cases)("$reason", ({ pod, faults }) => {
  const found = faultsOfPod(pod);
  expect(found.map(({ what }) => what)).toEqual(faults);
  expect(found.every(({ next }) => next !== "")).toBe(true);
});

const refusals: readonly { readonly message: string; readonly next: string }[] = [
  { message: 'violates PodSecurity "restricted:latest"', next: "kubectl get namespace operators --show-labels" },
  { message: "exceeded quota: compute, requested: pods=1", next: "kubectl -n operators get resourcequota" },
  { message: 'error looking up service account operators/a: serviceaccount "a" not found', next: "deploy again" },
  { message: "a webhook said no", next: "kubectl -n operators get events" },
];

test.each(refusals)("pods rejected with $message have the next step $next", ({ message, next }) => {
  const conditions = [
    { type: "Progressing", status: "True" },
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message },
  ];
  const wanted: readonly PodFault[] = [
    { what: `cannot create pods: ${message}`, next: expect.stringContaining(next) as string },
  ];
  expect(faultsOfConditions(conditions, "operators")).toEqual(wanted);
});
