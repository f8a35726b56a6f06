import { type ClusterReader, crdInformer, createLog, type InformerState, Registry, systemClock } from "@virt/kube";
import { expect, test } from "vitest";
import { AdmissionPolicies, policyKeysFor } from "./admission-policies.ts";

const states: readonly InformerState["state"][] = ["starting", "synced"];

test("reads each policy and its binding once at start", async () => {
  const reads: string[] = [];
  const cluster: ClusterReader = {
    read: async ({ kind, name }) => {
      reads.push(`${kind} ${name}`);
      return { kind: "absent" };
    },
  };
  const policies = new AdmissionPolicies({
    expected: [{ name: "node-content", hash: "a", bindingHash: "b" }],
    namespace: "operators",
    metricPrefix: "test_",
    registry: new Registry(),
    recordEvent: () => undefined,
    clock: systemClock,
    log: createLog({ level: "error", format: "json", isColoured: false, clock: systemClock, write: () => undefined }),
  });
  const keys = states.flatMap((state) => policyKeysFor({ spec: crdInformer, state }));
  expect(await Promise.all(keys.map(() => policies.reconcile(cluster)))).toMatchObject([{ kind: "requeueAt" }]);
  expect(reads).toEqual(["ValidatingAdmissionPolicy node-content", "ValidatingAdmissionPolicyBinding node-content"]);
});

test("other informers enqueue no check", () => {
  const spec = { ...crdInformer, kind: "Node" };
  expect(states.flatMap((state) => policyKeysFor({ spec, state }))).toEqual([]);
});
