import { expect, test } from "vitest";
import { faultsOfConditions, faultsOfPod, type Pod, type PodFault } from "./pod-faults.ts";

const metadata = { name: "manager-1", namespace: "operators" };
const withContainer = (container: object): Pod => ({ metadata, status: { containerStatuses: [container] } });
const ended = { reason: "Error", exitCode: 2, message: "{}\nvirt-operator: unknown flag --x; see --help\n" };

const cases: readonly { readonly reason: string; readonly pod: Pod; readonly faults: readonly string[] }[] = [
  { reason: "a pod that has no status yet is no fault", pod: { metadata }, faults: [] },
  {
    reason: "a container that is being created is no fault",
    pod: withContainer({ state: { waiting: { reason: "ContainerCreating" } } }),
    faults: [],
  },
  {
    reason: "a container that is ready is no fault, whatever it was before",
    pod: withContainer({ ready: true, restartCount: 1, state: { running: {} }, lastState: { terminated: ended } }),
    faults: [],
  },
  {
    reason: "a pod that ends is no fault of the one that comes",
    pod: { metadata: { ...metadata, deletionTimestamp: "now" }, status: { phase: "Failed", reason: "Evicted" } },
    faults: [],
  },
  {
    reason: "an image that cannot be pulled is named with what the kubelet said",
    pod: withContainer({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } }),
    faults: ["pod manager-1 cannot pull its image: ErrImagePull (manifest unknown)"],
  },
  {
    reason: "a crash loop is named with its exit code, its restarts and the last line of its log",
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
    reason: "a container that was killed for its memory says so",
    pod: withContainer({ state: { terminated: { reason: "OOMKilled", exitCode: 137 } } }),
    faults: ["pod manager-1 is in a crash loop (out of memory)"],
  },
  {
    reason: "a pod without a node is named with what the scheduler said",
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
    reason: "a Secret that is missing is named",
    pod: withContainer({
      state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "a" not found' } },
    }),
    faults: ['pod manager-1: CreateContainerConfigError (secret "a" not found)'],
  },
  {
    reason: "a container that runs and is not ready is named",
    pod: withContainer({ ready: false, state: { running: {} } }),
    faults: ["pod manager-1 is running but not ready"],
  },
  {
    reason: "a pod that its node refused is named",
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

test.each(refusals)("pods that are refused with $message: $next", ({ message, next }) => {
  const conditions = [
    { type: "Progressing", status: "True" },
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message },
  ];
  const wanted: readonly PodFault[] = [
    { what: `cannot create pods: ${message}`, next: expect.stringContaining(next) as string },
  ];
  expect(faultsOfConditions(conditions, "operators")).toEqual(wanted);
});
