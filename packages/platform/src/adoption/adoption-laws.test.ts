import { autopilotName, managedByLabel } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AdoptionModel, type ModelPair, ourRef, theirRef } from "../testing/adoption-model.ts";
import { isNodeObject } from "./adoption-row.ts";
import type { AdoptionStep } from "./adoption-step.ts";

const names = ["a", "b", "c", "d", "e"];

const anyPairs: fc.Arbitrary<readonly ModelPair[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("MachineConfig", "UIPlugin"),
      hasOurName: fc.boolean(),
      isEqual: fc.boolean(),
      isUnmanaged: fc.boolean(),
    }),
    { maxLength: names.length },
  )
  .map((pairs) => pairs.map((pair, at) => ({ ...pair, asset: names[at] ?? "" })));

/** `kill` ends the run between two steps. The next run previews and plans again. */
const anyActors = fc.array(fc.constantFrom("step", "kill", "autopilot", "controller", "second", "minute"), {
  maxLength: 60,
});
const anyReplaced = fc.subarray(names).map((list) => new Set(list));

type Actor = "step" | "kill" | "autopilot" | "controller" | "second" | "minute";
type Run = { readonly plan: () => (model: AdoptionModel) => AdoptionStep };

/** Runs the actors in this order, and then all of them in turn until the last run is done. */
function takeTurns(model: AdoptionModel, actors: readonly Actor[], run: (model: AdoptionModel) => Run): void {
  let next = run(model).plan();
  const act = (actor: Actor): boolean => {
    switch (actor) {
      case "step": {
        const step = next(model);
        if (step.kind === "changed") next = run(model).plan();
        model.take(step);
        return step.kind === "done";
      }
      case "kill":
        next = run(model).plan();
        return false;
      case "autopilot":
        model.runAutopilot();
        return false;
      case "controller":
        model.runController();
        return false;
      case "second":
      case "minute":
        model.pass(actor === "second" ? 1 : 60);
        return false;
    }
  };
  for (const actor of actors) act(actor);
  next = run(model).plan();
  for (let rounds = 0; rounds < 100; rounds++) {
    if ((["autopilot", "controller", "minute", "step"] as const).map(act).includes(true)) return;
  }
  throw new Error("the adoption does not end");
}

const adopting = (replaced: ReadonlySet<string>) => (model: AdoptionModel) => ({
  plan: () => {
    const plan = model.plan(replaced);
    return (at: AdoptionModel) => at.adoptionStep(plan);
  },
});
const returning = (model: AdoptionModel) => ({
  plan: () => {
    const plan = model.returnPlan();
    return (at: AdoptionModel) => at.returnStep(plan);
  },
});

test("a killed adoption finishes with the next run, and no object ever has two managers", () => {
  fc.assert(
    fc.property(anyPairs, anyReplaced, anyActors, (pairs, replaced, actors) => {
      const model = new AdoptionModel(pairs);
      takeTurns(model, actors, adopting(replaced));
      expect([model.managedByBoth, model.annotatedEarly]).toEqual([[], []]);
      for (const pair of pairs) {
        const isNode = isNodeObject(pair);
        const isReplaced = replaced.has(pair.asset) && (!pair.hasOurName || (isNode && !pair.isEqual));
        const isTaken = pair.hasOurName && (!isNode || pair.isEqual);
        const isMoved = !pair.isUnmanaged && (isTaken || isReplaced);
        expect(model.managerOf(ourRef(pair))).toBe(
          isMoved ? managedByLabel.value : pair.hasOurName ? autopilotName : undefined,
        );
        const shared = isMoved ? managedByLabel.value : autopilotName;
        const theirManager = isMoved ? undefined : autopilotName;
        expect(model.managerOf(theirRef(pair))).toBe(pair.hasOurName ? shared : theirManager);
      }
    }),
  );
});

test("without --replace, no MachineConfig changes", () => {
  fc.assert(
    fc.property(anyPairs, anyActors, (pairs, actors) => {
      const model = new AdoptionModel(pairs);
      takeTurns(model, actors, adopting(new Set()));
      expect(model.nodeWrites).toEqual([]);
    }),
  );
});

test("after the way back, the autopilot's objects have its content, and no MachineConfig changed", () => {
  fc.assert(
    fc.property(anyPairs, anyActors, anyActors, (pairs, there, back) => {
      const model = new AdoptionModel(pairs);
      takeTurns(model, there, adopting(new Set()));
      takeTurns(model, back, returning);
      model.runController();
      model.runAutopilot();
      expect(model.managedByBoth).toEqual([]);
      expect(model.theirContentIsRestored()).toBe(true);
      expect(model.nodeWrites).toEqual([]);
      for (const pair of pairs) expect(model.managerOf(theirRef(pair))).toBe(autopilotName);
    }),
  );
});

test("leaves an unmanaged object alone and lists it", () => {
  fc.assert(
    fc.property(anyPairs, anyReplaced, (pairs, replaced) => {
      const model = new AdoptionModel(pairs);
      const unmanaged = pairs.filter(({ isUnmanaged }) => isUnmanaged);
      const before = unmanaged.map((pair) => model.objects.get(keyOf(pair)));
      const listed = model
        .rows(replaced)
        .filter(({ theirs }) => unmanaged.some((pair) => theirRef(pair).name === theirs.name));
      expect(listed.map(({ action }) => action)).toEqual(unmanaged.map(() => "keep"));
      takeTurns(model, [], adopting(replaced));
      expect(unmanaged.map((pair) => model.objects.get(keyOf(pair)))).toEqual(before);
    }),
  );
});

function keyOf(pair: ModelPair): string {
  const { kind, name, namespace = "" } = theirRef(pair);
  return `${kind}/${namespace}/${name}`;
}
