// Tests that items that depend on a MachineConfig wait for all VM nodes, not only for pools.

import type { Item } from "@virt/api";
import { expect, test } from "vitest";
import { itemMessages } from "../items.ts";
import {
  deschedulerItem,
  doneItem,
  health,
  now,
  observedItem,
  psi,
  running,
  summary,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const waits = (item: Item): Item => ({ ...item, waitsFor: psi().name });

test("waits until every node for VMs has the MachineConfig", () => {
  const missed = observedItem(doneItem(psi()), { rollout: health("done", "P is ready"), nodesWithout: ["node-1"] });
  const { status, requeue } = transition(running({ items: [missed, observedItem(waits(deschedulerItem()))] }));
  expect(summary(status.items)).toEqual([
    ["Completed", "P is ready"],
    [
      "Pending",
      "Waiting for MachineConfig '99-worker-psi-karg' on nodes that can run VMs: node-1. Next: check their MachineConfigPools, or set spec.action to DryRun and back to Apply to plan for the current nodes.",
    ],
  ]);
  expect(requeue).toEqual({ when: "at", atMs: now + 30_000 });
});

test("waits while the nodes are unknown", () => {
  const { nodesWithout: _known, ...unknown } = observedItem(doneItem(psi()), { rollout: health("done") });
  const { status } = transition(running({ items: [unknown, observedItem(waits(deschedulerItem()))] }));
  expect(summary(status.items)[1]).toEqual(["Pending", "Waiting for item 'enable-psi-metrics'"]);
});

test("a waiting item reports the missing right to read nodes", () => {
  const { nodesWithout: _known, ...unknown } = observedItem(doneItem(psi()), { rollout: health("done") });
  const refused = { ...unknown, nodesRefusal: "403: nodes is forbidden" };
  const { status } = transition(running({ items: [refused, observedItem(waits(deschedulerItem()))] }));
  expect(summary(status.items)[1]).toEqual([
    "Pending",
    "Waiting: the operator cannot read which nodes have MachineConfig '99-worker-psi-karg' (403: nodes is forbidden). Next: allow the operator's ClusterRole to list and watch nodes.",
  ]);
});

test("a MachineConfig waits only for the other item, not for nodes", () => {
  const missed = observedItem(doneItem(psi()), { rollout: health("done", "P is ready"), nodesWithout: ["node-1"] });
  const next = observedItem(waits(psi({ name: "enable-psi-metrics-master" })));
  const { status } = transition(running({ items: [missed, next] }));
  expect(summary(status.items)[1]).toEqual(["InProgress", itemMessages.applying]);
});
