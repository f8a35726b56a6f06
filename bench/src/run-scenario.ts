// Runs one scenario on its own API server and returns the result.

import { findAccess } from "@virt/kube";
import { startServer } from "@virt/testkit";
import { startProgress } from "../../tools/progress.ts";
import { openRaw } from "../programs/raw-requests.ts";
import { chanceFrom } from "./chance.ts";
import { measureFloor, smallObject } from "./floor.ts";
import { readMeasurementContext } from "./measurement-context.ts";
import { type Result, resultOf } from "./results.ts";
import { type Round, runRounds } from "./rounds.ts";
import { type Measured, ourAccount, type Rig, type Scenario, type Size } from "./scenario.ts";

const rounds = { quick: 1, usual: 3, full: 3 };
const floorTimes = { quick: 20, usual: 50, full: 100 };

type Order = { readonly size: Size; readonly seed: number };

export async function runScenario(scenario: Scenario, { size, seed }: Order): Promise<Result> {
  const before = startStep(`${scenario.name}: preparing`);
  await using api = await startServer();
  const ours = api.user(ourAccount, ["system:masters"]);
  const rig = { api, ours, size, random: chanceFrom(seed) };
  await scenario.prepare?.({ ...rig, say: before.say });
  const around = await readMeasurementContext(api, { seed, size });
  before.done();
  const floorOwner = api.user("floor", ["system:masters"]);
  const raw = openRaw(findAccess({ env: {}, kubeconfig: floorOwner.kubeconfig }));
  try {
    const floor = () => measureFloor(raw, scenario.floorOn ?? smallObject, floorTimes[size]);
    // Rounds are repeated only if a figure is compared with the floor. Otherwise, a change of the floor is only
    // reported.
    const repetitions = scenario.figures.some(({ floor }) => floor !== undefined) && size !== "quick" ? 2 : 0;
    const result = await runRounds({ rounds: rounds[size], repetitions }, (at) =>
      runRound(scenario, { rig, floor, name: `${scenario.name}: round ${at + 1} of ${rounds[size]}` }),
    );
    return resultOf(scenario, result, around);
  } finally {
    raw.close();
  }
}

type RoundOptions = {
  readonly rig: Omit<Rig, "say">;
  readonly floor: () => Promise<Round["floors"][0]>;
  readonly name: string;
};

async function runRound(scenario: Scenario, { rig, floor, name }: RoundOptions): Promise<Round> {
  const step = startStep(name);
  step.say("floor");
  const first = await floor();
  const measured: Measured[] = [];
  const times = rig.size === "quick" ? 1 : scenario.perRound;
  for (let time = 0; time < times; time++) measured.push(await scenario.measure({ ...rig, say: step.say }));
  step.say("floor");
  const round: Round = { floors: [first, await floor()], measured };
  step.done();
  return round;
}

function startStep(name: string) {
  const progress = startProgress(name, process.stderr);
  let what = "";
  const ticker = setInterval(() => progress.update(what), 1_000);
  ticker.unref();
  return {
    say: (next: string) => {
      what = next;
      progress.update(what);
    },
    done: () => {
      clearInterval(ticker);
      progress.done("");
    },
  };
}
