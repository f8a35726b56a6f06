// Generates random observations, as a reconcile can make them.

import { type InputRecord, type Phase, phases, type Review, reviewReasons, type Spec, type Status } from "@virt/api";
import fc from "fast-check";
import { autopilotWarning } from "../autopilot-targets.ts";
import type { PlanCheck } from "../check-plan.ts";
import {
  type ConditionInput,
  inputConditions,
  stalenessConditions,
  upgradeConditions,
} from "../conditions/status-conditions.ts";
import type { StatusOrigin } from "../facts.ts";
import { specHash } from "../hashes.ts";
import type { Draft, Observed, ObservedInput } from "../observed.ts";
import { wantsDraft } from "../transition.ts";
import { anyHealth, anyItems, likely } from "./any-item.ts";
import {
  conditionsIn,
  deschedulerItem,
  drafted,
  examplePlanHash,
  now,
  otherHash,
  psi,
  secondsAgo,
} from "./observed-fixtures.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyHash = fc.constantFrom(examplePlanHash, examplePlanHash, otherHash);

function given<T extends object>(fields: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

const anySpec: fc.Arbitrary<Spec> = fc
  .record({
    profile: fc.constant("load-aware-rebalancing"),
    action: fc.constantFrom("Apply", "Apply", "Apply", "DryRun", "Ignore"),
    failurePolicy: fc.constantFrom("Abort", "Continue"),
    bypassOptimisticLock: fc.boolean(),
    waitTimeout: fc.constantFrom(undefined, "30s", "1h"),
    approvedPlan: fc.constantFrom(undefined, undefined, examplePlanHash, otherHash),
  })
  .map((spec) => given(spec) as Spec);

const anyValue = fc.constantFrom("5", "5", "5", "10");
const anyInput: fc.Arbitrary<ObservedInput> = fc
  .record({ used: maybe(anyValue), applied: maybe(anyValue), planned: maybe(anyValue), now: maybe(anyValue) })
  .map(({ now, ...rest }) => ({
    name: "input",
    ...given(rest),
    now,
    moved: "an input changed",
    change: "input changed",
  }));

/** Generates a draft for the current inputs. */
function anyDraft(seen: readonly ObservedInput[]): fc.Arbitrary<Draft> {
  const inputs = seen.map(({ name, now, used, applied }): InputRecord => given({ name, used: now ?? used, applied }));
  const plan = fc
    .record({
      items: fc.subarray([psi(), deschedulerItem()], { minLength: 1 }),
      changes: fc.boolean(),
      planHash: anyHash,
      rollout: anyHealth,
      isReverted: likely(10),
    })
    .map(({ items, changes, planHash, rollout, isReverted }) => {
      const isRolling = !changes && items.some(({ name }) => name === psi().name);
      const rollouts = isRolling ? { [psi().name]: rollout } : {};
      return drafted(
        items.map((item) =>
          isReverted && changes
            ? { ...item, changes, warnings: [autopilotWarning(item.targetRef)] }
            : { ...item, changes },
        ),
        { planHash, inputs, rollouts, reverted: isReverted && changes ? items.map(({ targetRef }) => targetRef) : [] },
      );
    });
  const other = fc.constantFrom<Draft>(
    { kind: "blocked", message: "Namespace 'x' does not exist" },
    { kind: "rejected", message: "no" },
    { kind: "unavailable", message: "503" },
  );
  return fc.oneof({ weight: 8, arbitrary: plan }, { weight: 1, arbitrary: other });
}

const anyMarks: fc.Arbitrary<readonly ConditionInput[]> = fc
  .tuple(
    fc.constantFrom(undefined, undefined, inputConditions.changed("an input changed"), inputConditions.resolved),
    fc.constantFrom(undefined, undefined, stalenessConditions.found, stalenessConditions.resolved),
    fc.constantFrom(undefined, undefined, upgradeConditions.available("v1", "v2"), upgradeConditions.unchanged),
  )
  .map((marks) => marks.filter((mark) => mark !== undefined));

const anyReview = (generation: number): fc.Arbitrary<Review> =>
  fc.record({
    planHash: anyHash,
    generation: fc.integer({ min: Math.max(1, generation - 1), max: generation }),
    forced: fc.boolean(),
    reason: fc.constantFrom(...reviewReasons),
  });

type Ground = { readonly spec: Spec; readonly generation: number; readonly phase: Phase | "unheard of" };

const hashes = new Map<string, string>();

function hashOf(spec: Spec): string {
  const key = JSON.stringify(spec);
  const hash = hashes.get(key) ?? specHash(spec);
  hashes.set(key, hash);
  return hash;
}

function anyStatus({ spec, generation, phase }: Ground): fc.Arbitrary<Status> {
  const drawn = fc.record({
    isEdited: likely(25),
    isRespecified: likely(15),
    executedGeneration: maybe(fc.integer({ min: 1, max: generation })),
    planHash: anyHash,
    operatorVersion: fc.constantFrom(undefined, "", "v1", "v2", "v2", "v2"),
    review: maybe(anyReview(generation)),
    marks: anyMarks,
  });
  return drawn.map(({ isEdited, isRespecified, marks, ...rest }) => ({
    ...(given(rest) as Status),
    phase: phase as Phase,
    observedGeneration: isEdited ? generation - 1 : generation,
    specHash: isRespecified ? "of another spec" : hashOf(spec),
    impactSeverity: "High",
    conditions: phase === "unheard of" ? [] : conditionsIn(phase, marks),
  }));
}

const anyGround: fc.Arbitrary<Ground> = fc.record({
  spec: anySpec,
  generation: fc.integer({ min: 2, max: 4 }),
  phase: fc.constantFrom(...phases, "InProgress", "ReviewRequired", "Drafting", "unheard of"),
});

const anyRecord = {
  machineConfig: "99-earlier",
  startTime: secondsAgo(90),
  before: [{ pool: "worker", configuration: "a" }],
};
const mayRoll: readonly string[] = [
  "Pending",
  "Drafting",
  "ReviewRequired",
  "InProgress",
  "PrerequisiteFailed",
  "Failed",
  "CompletedWithErrors",
];

const anyFindings = fc.record({
  version: fc.constantFrom("v2", "v2", "v1"),
  mustPin: likely(15),
  blocked: fc.constantFrom<Observed["blocked"][]>(
    ...Array.from({ length: 8 }, () => undefined),
    { kind: "missing", message: "Missing required dependencies:\n" },
    { kind: "other", message: "Invalid config: no" },
  ),
  inputs: fc.array(anyInput, { maxLength: 1 }),
  items: anyItems,
  upgrade: fc.constantFrom("same", "differs", "aligned"),
  rollouts: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Observed["rollouts"]>([]) },
    { weight: 1, arbitrary: anyHealth.map((health): Observed["rollouts"] => [{ record: anyRecord, health }]) },
  ),
  statusOrigin: fc.constantFrom<StatusOrigin[]>("own", "own", "own", "unknown"),
  isDisruptionStale: likely(10),
  planCheck: fc.constantFrom<PlanCheck[]>(
    ...Array.from({ length: 6 }, () => ({ kind: "intact" }) as const),
    { kind: "unchecked" },
    ...(["InputChanged", "OperatorUpgraded", "PlanStale", "PlanTampered"] as const).map(
      (reason) => ({ kind: "differs", reason, text: "an item differs" }) as const,
    ),
  ),
});

export const anyObserved: fc.Arbitrary<Observed> = anyGround.chain((ground) =>
  fc.tuple(anyStatus(ground), anyFindings).chain(([was, findings]) => {
    const { version, mustPin, blocked, upgrade, inputs, items, rollouts, statusOrigin, isDisruptionStale, planCheck } =
      findings;
    const { spec, generation } = ground;
    const rolling = mayRoll.includes(ground.phase) ? rollouts : [];
    const isOther = (was.operatorVersion ?? "") !== "" && was.operatorVersion !== version;
    const observed: Observed = {
      now,
      operator: { version, mustPin },
      generation,
      spec,
      stored: {
        ...was,
        items: items.map(({ item }) => item),
        inputs: inputs.map(recordOf),
        ...(rolling.length > 0 && { rollouts: rolling.map(({ record }) => record) }),
      },
      impact: "High",
      inputs,
      items,
      snapshotHash: "snapshot-now",
      rollouts: rolling,
      statusOrigin,
      isDisruptionStale,
      planCheck,
      ...(blocked && { blocked }),
      ...(isOther && blocked === undefined && { upgrade }),
    };
    return wantsDraft(observed) ? anyDraft(inputs).map((draft) => ({ ...observed, draft })) : fc.constant(observed);
  }),
);

function recordOf({ name, used, applied }: ObservedInput): InputRecord {
  return given({ name, used, applied });
}
