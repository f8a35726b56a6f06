import type { AuditEvent } from "@virt/testkit";
import { expect, test } from "vitest";
import { findFaults, type LeaseOf } from "./lease-history.ts";

const lease: LeaseOf = { controller: "advisor", name: "lock" };
const leasePath = "/apis/coordination.k8s.io/v1/namespaces/home/leases/lock";
const statusPath = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/one/status";
const cancelled = "Timeout: request did not complete within requested timeout - context canceled";
const timedOut = "Timeout: request did not complete within requested timeout - context deadline exceeded";

type Answered = {
  readonly ms: number;
  readonly forMs?: number;
  readonly code?: number;
  readonly message?: string;
  readonly lease?: { readonly holder: string; readonly version: string };
};

/** Times are milliseconds since the leader's last renewal. */
function request(
  verb: string,
  path: string,
  { ms, forMs = 5, code = 200, message, lease: live }: Answered,
): AuditEvent {
  const time = (at: number) => new Date(Date.UTC(2030, 0, 1) + at).toISOString();
  const spec = { holderIdentity: live?.holder, leaseDurationSeconds: 15, leaseTransitions: 1 };
  const resource = path === leasePath ? "leases" : "virtplatformconfigs";
  return {
    stage: "ResponseComplete",
    verb,
    requestURI: path,
    requestReceivedTimestamp: time(ms),
    stageTimestamp: time(ms + forMs),
    userAgent: "virt-operator/v1 (advisor; old)",
    user: { username: "operator" },
    objectRef: { resource, name: path === leasePath ? "lock" : "one" },
    responseStatus: { code, ...(message !== undefined && { message }) },
    ...(live && { responseObject: { metadata: { name: "lock", resourceVersion: live.version }, spec } }),
  };
}

const renewal = request("update", leasePath, { ms: 0, lease: { holder: "old", version: "1" } });
const theft = {
  by: "a stranger",
  atMs: Date.UTC(2030, 0, 1) + 1_000,
  lease: {
    metadata: { name: "lock", resourceVersion: "2" },
    spec: { holderIdentity: "a stranger", leaseDurationSeconds: 3, leaseTransitions: 1 },
  },
};
/** On a busy machine the answer to the read takes two seconds. */
const heard = [request("update", leasePath, { ms: 2_000, code: 409 }), request("get", leasePath, { ms: 3_995 })];
const faultsOf = (...writes: readonly AuditEvent[]) => findFaults([renewal, ...heard, ...writes], lease, [theft]);
const statusWrite = (answered: Answered) => request("update", statusPath, answered);

test("a robbed leader may write until it has read the lease", () => {
  expect(faultsOf(statusWrite({ ms: 3_500 }))).toEqual([]);
});

test("a write that its sender cancelled is not a fault", () => {
  expect(faultsOf(statusWrite({ ms: 3_990, forMs: 20, code: 504, message: cancelled }))).toEqual([]);
  expect(faultsOf(statusWrite({ ms: 5_500, code: 504, message: cancelled }))).toEqual([]);
});

test("a write after the old leader read its loss is a fault", () => {
  const fault = (code: number) => [`old sent update ${statusPath} while a stranger led: ${code}`];
  expect(faultsOf(statusWrite({ ms: 5_500 }))).toEqual(fault(200));
  expect(faultsOf(statusWrite({ ms: 5_500, code: 409 }))).toEqual(fault(409));
  expect(faultsOf(statusWrite({ ms: 5_500, code: 504, message: timedOut }))).toEqual(fault(504));
});

test("an uninformed leader may write until its renew deadline", () => {
  const write = (ms: number) => findFaults([renewal, statusWrite({ ms })], lease, [theft]);
  expect(write(10_500)).toEqual([]);
  expect(write(11_500)).toHaveLength(1);
});
