import { expect, test } from "vitest";
import { heldLease, holderOf, newLease, releasedLease } from "./lease.ts";

const me = { name: "lock", namespace: "home", identity: "me", durationSeconds: 15 };
const then = Date.UTC(2030, 0, 1, 0, 0, 0, 7);
const now = Date.UTC(2030, 0, 1, 0, 0, 10);

test("times have six digits, as the API server requires", () => {
  expect(newLease(me, then).spec).toEqual({
    holderIdentity: "me",
    leaseDurationSeconds: 15,
    acquireTime: "2030-01-01T00:00:00.007000Z",
    renewTime: "2030-01-01T00:00:00.007000Z",
    leaseTransitions: 0,
  });
});

test("a renewal changes only the renew time", () => {
  const lease = newLease(me, then);
  expect(heldLease(lease, me, now).spec).toEqual({ ...lease.spec, renewTime: "2030-01-01T00:00:10.000000Z" });
});

test("a transition is counted and keeps the rest of the object", () => {
  const metadata = { name: "lock", namespace: "home", uid: "1-2-3", resourceVersion: "7", labels: { team: "blue" } };
  const foreign = { ...newLease({ ...me, identity: "other" }, then), metadata };
  const taken = heldLease(foreign, me, now);
  expect(taken.metadata).toEqual(metadata);
  expect(taken.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 1 });
  expect(taken.spec?.acquireTime).toBe(taken.spec?.renewTime);
});

test("a released lease has no holder and expires after a second", () => {
  const released = releasedLease(heldLease(newLease({ ...me, identity: "other" }, then), me, now), now);
  expect(holderOf(released)).toBe("");
  expect(released.spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 1 });
});
