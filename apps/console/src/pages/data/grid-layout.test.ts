import type { NodeRolloutPhase } from "@virt/api";
import { expect, test } from "vitest";
import { layoutOf } from "./grid-layout.ts";
import type { GridNode } from "./pool-grid.ts";

const node = (at: number, phase: NodeRolloutPhase = "Waiting"): GridNode => ({
  name: `worker-${at}`,
  phase,
  step: undefined,
  message: "",
  vms: 3,
  leaving: [],
});
const pool = (count: number, phases: Readonly<Record<number, NodeRolloutPhase>> = {}) =>
  Array.from({ length: count }, (_, at) => node(at, phases[at]));
const none = new Set<string>();

test("shows up to 60 nodes as tiles, ordered by name", () => {
  const nodes = pool(60, { 59: "Draining" });
  expect(layoutOf(nodes, "", none)).toEqual({ kind: "tiles", nodes });
});

test("shows more than 60 nodes as squares, active nodes first as tiles", () => {
  const layout = layoutOf(
    pool(500, { 3: "Done", 7: "Rebooting", 400: "Draining", 499: "Degraded" }),
    "",
    new Set(["worker-250"]),
  );
  expect(layout.kind).toBe("squares");
  expect(layout.nodes).toHaveLength(500);
  const active = layout.kind === "squares" ? layout.active.map(({ name }) => name) : [];
  expect(active).toEqual(["worker-250", "worker-499", "worker-400", "worker-7"]);
});

test("limits the tiles of active nodes and counts the rest", () => {
  const phases = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at, "Draining" as const]));
  const layout = layoutOf(pool(500, phases), "", none);
  expect(layout).toMatchObject({ kind: "squares", moreActive: 88 });
});

test("shows tiles if a filter leaves 60 nodes or fewer", () => {
  const layout = layoutOf(pool(500), " WORKER-49 ", none);
  expect(layout.kind).toBe("tiles");
  expect(layout.nodes.map(({ name }) => name)).toEqual([
    "worker-49",
    ...Array.from({ length: 10 }, (_, at) => `worker-49${at}`),
  ]);
  expect(layoutOf(pool(500), "no-such-node", none).nodes).toEqual([]);
});
