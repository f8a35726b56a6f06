import type { Impact, Status } from "@virt/api";
import { equalJson } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import type { Observed } from "../observed.ts";
import { publishStatus } from "../publish-status.ts";
import { impactFixture, noVms } from "../testing/impact-fixtures.ts";
import { generation, now, observedItem, observedWith, psi } from "../testing/observed-fixtures.ts";
import { stamp } from "../times.ts";
import { transition } from "../transition.ts";

const entry = (name: string) =>
  ({ node: "w-0", kind: "VirtualMachineInstance", namespace: "shop", name, reason: "Disks" }) as const;

/** An impact with this many changing nodes and blocking VMs. The status names at most 20 of these VMs. */
function blocked(block: number, atMs: number, nodes = 3): Impact {
  const names = Array.from({ length: Math.min(block, 20) }, (_, index) => `vm-${index}`);
  return impactFixture({
    assessedAt: stamp(atMs),
    summary: `${nodes} nodes, ${block} VMs block the drain`,
    nodes,
    vms: { ...noVms, block },
    blockers: names.map(entry),
    more: { pools: 0, stops: 0, blockers: block - names.length },
  });
}

const approved: Observed = observedWith("ReviewRequired", {
  generation: generation + 1,
  items: [observedItem(psi())],
  spec: { action: "Apply", guards: { maxBlockingVMs: 0, maxNodes: 5 } },
});

function reconcile(stored: Status, nowMs: number, impactNow: Impact | undefined): Status {
  const { impactNow: _before, ...rest } = approved;
  const observed = { ...rest, stored, now: nowMs, ...(impactNow && { impactNow }) };
  return publishStatus(transition(observed), observed, { impact: impactNow }).status;
}

const readyText = (status: Status) => conditionOf(status, "Ready")?.message ?? "";

test("stopping VMs causes one write a minute, and starts the plan", () => {
  const start = reconcile({ ...approved.stored, impact: blocked(12, now - 90_000) }, now, blocked(12, now));
  let stored = start;
  const writes: number[] = [];
  for (let step = 1; step < 12; step++) {
    const atMs = now + step * 5_000;
    const next = reconcile(stored, atMs, blocked(12 - step, atMs));
    if (!equalJson(next, stored)) writes.push(step);
    stored = next;
  }
  expect(stored.phase).toBe("ReviewRequired");
  expect(writes).toEqual([1]); // the shown impact was more than a minute old
  expect(readyText(stored)).toMatch(/^spec\.guards\.maxBlockingVMs is 0, but 11 VMs block the drain\. Next: /);
  expect(reconcile(stored, now + 60_000, blocked(0, now + 60_000)).phase).toBe("InProgress");
});

test("Ready and the review match the shown impact", () => {
  const shown = { ...approved.stored, impact: blocked(300, now - 5_000) };
  const held = reconcile(shown, now, blocked(299, now));
  expect(held.impact?.vms?.block).toBe(300);
  expect(readyText(held)).toContain("but 300 VMs block the drain");
  expect(held.review?.message).toBe("spec.guards.maxBlockingVMs is 0, but 300 VMs block the drain");
});

test("replaces an impact that shows no obstacle", () => {
  const held = reconcile({ ...approved.stored, impact: blocked(0, now - 5_000) }, now, blocked(1, now));
  expect(readyText(held)).toContain("but 1 VM blocks the drain");
  expect(held.impact).toEqual(blocked(1, now));
});

test("a process without lists leaves the status unchanged", () => {
  const held = reconcile({ ...approved.stored, impact: blocked(2, now - 5_000) }, now, blocked(2, now));
  expect(reconcile(held, now + 1_000, undefined)).toEqual(held);
});

test("writes at most once a minute, consistently, and respects guards", () => {
  const anyStep = fc.record({ seconds: fc.integer({ min: 5, max: 40 }), block: fc.nat(24), nodes: fc.nat(7) });
  const law = fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
    let [stored, nowMs] = [reconcile({ ...approved.stored, impact: blocked(1, now) }, now, blocked(1, now)), now];
    const writes = [now - 60_000];
    for (const { seconds, block, nodes } of steps) {
      nowMs += seconds * 1_000;
      const next = reconcile(stored, nowMs, blocked(block, nowMs, nodes));
      const mayStart = block === 0 && nodes <= 5;
      if ((next.phase === "InProgress") !== mayStart) return false;
      if (mayStart) return true;
      if (!equalJson(next, stored)) writes.push(nowMs);
      stored = next;
      const shown = stored.impact?.vms?.block ?? 0;
      const fact = shown > 0 ? `but ${shown} VM` : `but ${stored.impact?.nodes} nodes change`;
      if (!readyText(stored).includes(fact)) return false;
    }
    return writes.every((at, index) => index === 0 || at - (writes[index - 1] ?? 0) >= 60_000);
  });
  fc.assert(law);
});
