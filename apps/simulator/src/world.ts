// What an actor sees in one round, and what an actor is: a pure function from that to wishes.

import type { KubeObject } from "@virt/engine";
import type { Agenda } from "./agenda.ts";
import { chance } from "./chance.ts";
import type { Kind } from "./kinds.ts";
import type { Durations, Scenario } from "./scenario.ts";
import type { Wish } from "./wish.ts";

export type World = {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly wall: string; // for the times in conditions
  readonly of: (kind: Kind) => readonly KubeObject[]; // by namespace and name
  readonly versionOf: (kind: Kind) => string | undefined; // the apiVersion that is served
  readonly made: ReadonlySet<string>; // keys of the scenario's objects that exist, or existed once
};

export type Actor = (world: World, agenda: Agenda) => readonly Wish[];

/** Milliseconds: the scenario's duration, a fifth more or less; the words say what for. */
export function lasting(
  { seed, scenario }: World,
  what: keyof Durations | { readonly seconds: number },
  ...words: readonly string[]
): number {
  const seconds = typeof what === "string" ? scenario.durations[what] : what.seconds;
  return seconds * 1000 * (0.8 + 0.4 * chance(seed, "lasting", ...words));
}

export function find(world: World, kind: Kind, name: string): KubeObject | undefined {
  return world.of(kind).find(({ metadata }) => metadata.name === name);
}

export const faultPrefix = "simulator.kubevirt.io/";

/** The value of a fault annotation; empty text counts as set. */
export function faultOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[`${faultPrefix}${name}`];
}
