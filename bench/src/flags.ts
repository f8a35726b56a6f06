// Reads the make variables SCENARIO, QUICK, FULL and SEED.

import type { Scenario, Size } from "./scenario.ts";

export type Flags =
  | { readonly kind: "run"; readonly scenarios: readonly Scenario[]; readonly size: Size; readonly seed: number }
  | { readonly kind: "wrong"; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

export function readFlags(env: Environment, all: readonly Scenario[], chance: () => number): Flags {
  const { SCENARIO = "", QUICK = "", FULL = "", SEED = "" } = env;
  if (QUICK !== "" && FULL !== "") return { kind: "wrong", message: "QUICK and FULL contradict each other" };
  if (!/^\d*$/.test(SEED)) return { kind: "wrong", message: `SEED=${SEED} is not a number` };
  const size = sizeOf(QUICK, FULL);
  const seed = SEED === "" ? Math.floor(chance() * 2 ** 32) : Number(SEED) % 2 ** 32;
  if (SCENARIO === "") {
    return { kind: "run", size, seed, scenarios: all.filter(({ isQuick }) => isQuick || size !== "quick") };
  }
  const scenarios = SCENARIO.split(",").map((name) => all.find((one) => one.name === name) ?? name);
  const unknown = scenarios.filter((one) => typeof one === "string");
  const known = scenarios.filter((one) => typeof one !== "string");
  if (unknown.length === 0) return { kind: "run", size, seed, scenarios: known };
  const names = all.map(({ name }) => name).join(", ");
  return { kind: "wrong", message: `there is no scenario ${unknown.join(", ")}; there are: ${names}` };
}

function sizeOf(quick: string, full: string): Size {
  if (quick !== "") return "quick";
  return full === "" ? "usual" : "full";
}
