// Runs the actors round by round, in simulated time: one moment after the other, each until nothing is left to do in it.

import { compareUtf8, type KubeObject, writeTime } from "@virt/engine";
import type { Clock, Controller, Ending, Host, Tools } from "@virt/kube";
import { actors } from "./actors/index.ts";
import { setup } from "./actors/setup.ts";
import { Agenda } from "./agenda.ts";
import { isKind, type Kind, watchesOf } from "./kinds.ts";
import { type Deed, isOpen, perform } from "./perform.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

export type SimulationParts = {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly speed: number;
  readonly clock: Clock;
  readonly host: () => Pick<Host, "watches" | "discovery" | "isSynced">;
  readonly tell: (event: string) => void;
  readonly complain: (trouble: string) => void;
  readonly ready: () => void;
};

const patienceMs = 50;

export class Simulation implements Controller {
  readonly name = "simulation";
  readonly #parts: SimulationParts;
  readonly #began: number;
  readonly #made = new Set<string>();
  #moment = 0;
  #timers: ReadonlyMap<string, number> = new Map();
  #next: number | undefined;
  #isReady = false;
  #lastTrouble = "";

  constructor(parts: SimulationParts) {
    this.#parts = parts;
    this.#began = parts.clock.monotonic();
  }

  /** All is decided together: whatever changes, the whole world is looked at. */
  keysFor(): readonly string[] {
    return ["world"];
  }

  async pass(_key: string, tools: Tools): Promise<Ending> {
    const { clock, host } = this.#parts;
    if (!host().isSynced) return { kind: "again", atMs: clock.wall() + patienceMs };
    this.#moment = this.#presentMoment();
    const agenda = new Agenda(this.#moment, this.#timers);
    const world = this.#look();
    const wishes = actors.flatMap((actor) => actor(world, agenda));
    this.#timers = agenda.open;
    const open = wishes.filter((wish) => isOpen(wish) || this.#remember(wish.key));
    if (open.length === 0) return this.#rest(world, agenda);
    const { sender, mayWrite, signal } = tools;
    const watchOf = (object: KubeObject) => this.#watch(object.kind, object.apiVersion);
    this.#next = this.#moment; // the same moment once more, until nobody wants anything
    const deeds = await perform(open, { sender, mayWrite, signal, watchOf, discovery: host().discovery });
    return this.#record(deeds, agenda);
  }

  // However late the process is, nothing that is due is skipped: each moment is lived through at its own time.
  #presentMoment(): number {
    const { clock, speed } = this.#parts;
    const now = (clock.monotonic() - this.#began) * speed;
    return Math.max(this.#moment, Math.min(now, this.#next ?? now));
  }

  #rest(world: World, agenda: Agenda): Ending {
    const { clock, speed, ready } = this.#parts;
    const isReady = setup(world).length === 0;
    if (isReady && !this.#isReady) ready();
    this.#isReady ||= isReady;
    this.#next = agenda.next;
    if (agenda.next === undefined) return { kind: "done" };
    const inMs = agenda.next / speed - (clock.monotonic() - this.#began);
    return { kind: "again", atMs: clock.wall() + Math.max(0, inMs) };
  }

  #record(deeds: readonly Deed[], agenda: Agenda): Ending {
    const { clock, tell, complain } = this.#parts;
    for (const { wish, trouble, isFinal = false, isMoot = false } of deeds) {
      if (trouble === undefined || isFinal) this.#remember(wish.key);
      if (trouble === undefined && wish.event !== undefined && !isMoot) tell(wish.event);
    }
    const trouble = deeds.find((deed) => deed.trouble !== undefined)?.trouble;
    if (trouble === undefined) return { kind: "again", atMs: clock.wall() };
    if (trouble !== this.#lastTrouble) complain(trouble);
    this.#lastTrouble = trouble;
    this.#next = agenda.next; // what cannot be done must not stop the time for everybody else, nor make it jump
    return { kind: "failed" };
  }

  // Never true: what is fulfilled needs no deed.
  #remember(key: string | undefined): false {
    if (key !== undefined) this.#made.add(key);
    return false;
  }

  #look(): World {
    const { scenario, seed, clock } = this.#parts;
    const known = new Map<Kind, readonly KubeObject[]>();
    const read = (kind: Kind) => {
      const present = [...(this.#watch(kind)?.store.items() ?? [])].toSorted(byName);
      known.set(kind, present);
      return present;
    };
    return {
      scenario,
      seed,
      made: this.#made,
      wall: writeTime(Math.floor(clock.wall() / 1000) * 1000),
      of: (kind) => known.get(kind) ?? read(kind),
      versionOf: (kind) => this.#watch(kind)?.spec.apiVersion,
    };
  }

  #watch(kind: string, apiVersion?: string) {
    const { watches } = this.#parts.host();
    return watchesOf(isKind(kind) ? kind : "Node")
      .filter((spec) => spec.kind === kind && (apiVersion === undefined || spec.apiVersion === apiVersion))
      .flatMap((spec) => watches.find(spec) ?? [])
      .find(({ state }) => state === "synced");
  }
}

function byName({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return compareUtf8(left.namespace ?? "", right.namespace ?? "") || compareUtf8(left.name, right.name);
}
