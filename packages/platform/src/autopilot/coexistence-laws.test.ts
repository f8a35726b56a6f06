// Tests the laws of living beside virt-platform-autopilot over random histories, with lagging caches and restarts.

import { lawRuns } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ActivationMode } from "../activation.ts";
import { objectKey } from "../evaluate/managed-objects.ts";
import { type AutopilotKind, CoexistingCluster, hcoKey } from "../testing/coexisting-cluster.ts";
import {
  type CoexistenceDefect,
  CoexistingOperator,
  managedThings,
  type OwnWrite,
  type StoredRecords,
} from "../testing/coexisting-operator.ts";

/** Fewer histories would not reach all combinations of activation, state and object. */
const numRuns = Math.max(2_000, lawRuns());

const keys = managedThings.map(({ ref }) => objectKey(ref));
const streams = [...keys, "Thing//their-swap", "Deployment"];

type Step =
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "deploy"; readonly replicas: number | undefined }
  | { readonly do: "autopilot" }
  | { readonly do: "restart" }
  | { readonly do: "settle" }
  | { readonly do: "deliver"; readonly stream: string }
  | { readonly do: "reconcile"; readonly at: number }
  | { readonly do: "annotate"; readonly key: string; readonly name: string; readonly value: string | undefined };

const said = (name: string, ...values: readonly (string | undefined)[]) =>
  fc.constantFrom(...values).map((value): Step => ({ do: "annotate", key: hcoKey, name, value }));

const unattended = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...streams).map((stream): Step => ({ do: "deliver", stream })) },
  { weight: 5, arbitrary: fc.nat(keys.length - 1).map((at): Step => ({ do: "reconcile", at })) },
  { weight: 2, arbitrary: fc.constantFrom(1, 31, 601).map((seconds): Step => ({ do: "wait", seconds })) },
  { weight: 3, arbitrary: fc.constant<Step>({ do: "autopilot" }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: "restart" }, { do: "settle" }) },
);

const switches = fc.oneof(
  said("autopilot", undefined, "true", "false", "alone"),
  said("enable-gate", undefined, "true", "false"),
  said("enable-lift", undefined, "true", "false"),
);

const onObjects = fc
  .tuple(
    fc.constantFrom(...keys),
    fc.constantFrom(
      ["mode", "unmanaged"],
      ["mode", undefined],
      ["adopt", "true"],
      ["governor", "virt-platform-operator"],
    ),
  )
  .map(([key, [name = "", value]]): Step => ({ do: "annotate", key, name, value }));

const anyStep = fc.oneof(
  { weight: 6, arbitrary: unattended },
  { weight: 2, arbitrary: switches },
  { weight: 1, arbitrary: said("virt-platform-operator", undefined, "true", "false", "alone,panel") },
  { weight: 1, arbitrary: fc.constantFrom(undefined, 0, 1).map((replicas): Step => ({ do: "deploy", replicas })) },
  { weight: 1, arbitrary: onObjects },
);

const mayActivate: ReadonlySet<Step["do"]> = new Set(["wait", "restart", "settle", "deliver"]);

type History = {
  readonly steps: readonly Step[];
  readonly mode: ActivationMode;
  readonly kind: AutopilotKind;
  /** The value that activated an earlier release. That release owns `alone`. */
  readonly upgradedFrom: string | undefined;
};

const kind = fc.record({ isEarly: fc.boolean(), takesField: fc.boolean() });
const historyOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<History> =>
  fc.record({
    steps: fc.array(step, { maxLength: 40, size: "max" }),
    mode: fc.constantFrom("always", "opt-in"),
    kind,
    upgradedFrom: fc.constantFrom(undefined, "true", "alone"),
  });

type Summary = { readonly isActive: boolean; readonly autopilot: string };

type Found = {
  readonly writes: readonly (OwnWrite & { readonly isAfterTheirs: boolean })[];
  /** Steps at which the controller became active although only the switches of others had changed. */
  readonly activations: readonly string[];
  /** The result of a restart after everything had settled. */
  readonly restarted: { readonly writes: number; readonly before: Summary; readonly after: Summary };
};

function run({ steps, mode, kind: release, upgradedFrom }: History, defect?: CoexistenceDefect): Found {
  const cluster = new CoexistingCluster(release);
  const records: StoredRecords = { consent: undefined, hasRun: false };
  const writes: (OwnWrite & { readonly isAfterTheirs: boolean })[] = [];
  const onWrite = (write: OwnWrite) => writes.push({ ...write, isAfterTheirs: cluster.written.has(write.key) });
  if (upgradedFrom !== undefined) {
    cluster.annotate(hcoKey, "autopilot", upgradedFrom);
    cluster
      .created({ apiVersion: "a.io/v1", kind: "Thing", name: "alone" })
      .apply("virt-platform-operator", aloneObject, 1);
  }
  const start = () => new CoexistingOperator({ cluster, records, mode, defect, onWrite });
  let operator = start();
  const activations: string[] = [];
  const activity = () => ({
    isActive: operator.facts().activation.isActive,
    key: operator.key,
    isBeside: operator.isAutopilotSeen,
  });
  let before = activity();
  const settle = () => {
    for (let round = 0; round < 4; round++) {
      for (const stream of streams) operator.deliver(stream);
      for (const object of managedThings) operator.reconcile(object);
    }
  };
  for (const step of steps) {
    cluster.now += 7;
    if (step.do === "wait") cluster.now += step.seconds * 1000;
    else if (step.do === "deploy") cluster.deploy(step.replicas);
    else if (step.do === "autopilot") cluster.runAutopilot();
    else if (step.do === "restart") operator = start();
    else if (step.do === "settle") settle();
    else if (step.do === "deliver") operator.deliver(step.stream);
    else if (step.do === "annotate") cluster.annotate(step.key, step.name, step.value);
    else operator.reconcile(managedThings[step.at] as (typeof managedThings)[number]);
    if (!mayActivate.has(step.do)) continue;
    const now = activity();
    const isForeign = now.key === before.key && now.isBeside && before.isBeside;
    if (isForeign && now.isActive && !before.isActive) activations.push(JSON.stringify(step));
    before = now;
  }
  cluster.runAutopilot();
  settle();
  const summary = () => {
    const { activation, autopilot } = operator.facts();
    return { isActive: activation.isActive, autopilot: autopilot.state };
  };
  const kept = { writes: writes.length, state: summary() };
  operator = start();
  settle();
  const restarted = { writes: writes.length - kept.writes, before: kept.state, after: summary() };
  return { writes, activations, restarted };
}

const aloneObject = {
  apiVersion: "a.io/v1",
  kind: "Thing",
  metadata: { name: "alone", labels: { "platform.kubevirt.io/managed-by": "virt-platform-operator" } },
  spec: { size: 1 },
};

/** The autopilot is on throughout, and users change only switches. */
const opposed = historyOf(fc.oneof({ weight: 6, arbitrary: unattended }, { weight: 1, arbitrary: gates() })).map(
  (history): History => ({
    ...history,
    kind: { ...history.kind, isEarly: false },
    upgradedFrom: undefined,
    steps: [
      { do: "annotate", key: hcoKey, name: "virt-platform-operator", value: "true" },
      { do: "deploy", replicas: 1 },
      ...history.steps,
    ],
  }),
);

function gates() {
  return fc.oneof(said("enable-gate", undefined, "true"), said("enable-lift", undefined, "true"));
}

const anyHistory = historyOf(anyStep);

/** Histories of the activation after an upgrade. */
const switched = historyOf(
  fc.oneof(
    said("autopilot", undefined, "true", "false", "alone"),
    fc.constantFrom<Step>({ do: "deploy", replicas: 1 }, { do: "restart" }, { do: "settle" }),
    fc.constant<Step>({ do: "deliver", stream: hcoKey }),
  ),
);

const laws = {
  "writes nothing that an active autopilot manages": ({ writes }: Found) => writes.filter(({ law }) => law === 1),
  "creates nothing that an active autopilot claims": ({ writes }: Found) => writes.filter(({ law }) => law === 2),
  "never becomes active through a switch of the autopilot": ({ activations }: Found) => activations,
  "a restart changes neither the activation nor an object": ({ restarted: { writes, before, after } }: Found) => {
    // A process that has just started may count the autopilot as active for another 30 seconds.
    const isSame = before.isActive === after.isActive && [before.autopilot, "Active"].includes(after.autopilot);
    return writes === 0 && isSame ? [] : [{ writes, before, after }];
  },
  "writes an object at most once after the first write of an autopilot that stays on": ({ writes }: Found) => {
    const counts = Map.groupBy(
      writes.filter(({ isAfterTheirs }) => isAfterTheirs),
      ({ key }) => key,
    );
    return [...counts].flatMap(([key, all]) => (all.length > 1 ? [key] : []));
  },
} as const;

type LawName = keyof typeof laws;
const lawsOfOpposed = Object.keys(laws) as readonly LawName[];
const lawsOfAny = lawsOfOpposed.slice(0, -1);

/** Returns the violations of the laws by name. Empty if there are none. */
function violationsIn(found: Found, names: readonly LawName[]) {
  const broken = names.map((name) => [name, laws[name](found)] as const).filter(([, all]) => all.length > 0);
  return Object.fromEntries(broken);
}

test("keeps the laws in any history", { timeout: 600_000 }, () => {
  const reached = { writes: 0, both: 0, afterTheirs: 0 };
  const law = fc.property(anyHistory, (history) => {
    const found = run(history);
    const { writes, restarted } = found;
    reached.writes += writes.length > 0 ? 1 : 0;
    reached.both += restarted.before.isActive && restarted.before.autopilot === "Active" ? 1 : 0;
    reached.afterTheirs += writes.some(({ isAfterTheirs }) => isAfterTheirs) ? 1 : 0;
    expect(violationsIn(found, lawsOfAny)).toEqual({});
  });
  fc.assert(law, { numRuns });
  // Doing nothing must not satisfy the laws.
  expect(reached.writes).toBeGreaterThan(numRuns / 5);
  expect(reached.both).toBeGreaterThan(numRuns / 20);
  expect(reached.afterTheirs).toBeGreaterThan(numRuns / 50);
});

test("keeps the laws against an autopilot that stays on", { timeout: 600_000 }, () => {
  const law = fc.property(opposed, (history) => {
    expect(violationsIn(run(history), lawsOfOpposed)).toEqual({});
  });
  fc.assert(law, { numRuns });
});

test("keeps the laws after an upgrade", { timeout: 600_000 }, () => {
  const law = fc.property(switched, (history) => {
    expect(violationsIn(run(history), lawsOfAny)).toEqual({});
  });
  fc.assert(law, { numRuns });
});

const planted: readonly (readonly [CoexistenceDefect, LawName, fc.Arbitrary<History>])[] = [
  ["misses the autopilot", "writes nothing that an active autopilot manages", anyHistory],
  ["writes over newer objects", "writes nothing that an active autopilot manages", anyHistory],
  ["keeps its fields", "writes nothing that an active autopilot manages", anyHistory],
  ["misses the autopilot", "creates nothing that an active autopilot claims", anyHistory],
  [
    "corrects every difference",
    "writes an object at most once after the first write of an autopilot that stays on",
    opposed,
  ],
  ["obeys the other key", "never becomes active through a switch of the autopilot", switched],
  ["forgets that the consent ended", "never becomes active through a switch of the autopilot", switched],
  ["consents at every start", "a restart changes neither the activation nor an object", switched],
];

test.each(planted)("an operator that %s breaks the law: %s", { timeout: 600_000 }, (defect, name, histories) => {
  const property = fc.property(histories, (history) => {
    expect(violationsIn(run(history, defect), [name])).toEqual({});
  });
  expect(fc.check(property, { numRuns: 3_000, endOnFailure: true }).failed).toBe(true);
});
