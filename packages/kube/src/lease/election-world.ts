// A world for the laws of the election: candidates whose machines, clocks and requests meet with mishaps.

import type { Clock } from "../clock.ts";
import { decide, type LeaseAction, type LeaseAnswer, type LeaseInput, type Standing } from "./election.ts";
import { Fence } from "./fence.ts";
import { usualLease } from "./lease.ts";
import { holderOf, type LeaseObject } from "./lease-object.ts";

const { renewDeadlineMs: deadlineMs, ...times } = usualLease;

/** Milliseconds on the way there and back; Infinity: it gets lost. */
export type Journey = { readonly there: number; readonly back: number };

export type Mishap = {
  readonly afterMs: number;
  readonly what: "freeze" | "suspend" | "set back" | "set forward" | "leave" | "crash";
  readonly ms: number;
};

export type Life = { readonly speed: number; readonly mishaps: readonly Mishap[] };

/** The one Lease object. Who has it is known here, whatever the candidates believe. */
class Registry {
  #lease: LeaseObject | undefined;
  #version = 0;

  get holder(): string {
    return this.#lease === undefined ? "" : holderOf(this.#lease);
  }

  answer(action: LeaseAction): LeaseAnswer {
    if (action.kind === "read")
      return this.#lease === undefined ? { kind: "absent" } : { kind: "found", lease: this.#lease };
    if (action.kind === "wait" || action.kind === "end") throw new Error("not a request");
    if (action.kind === "create" ? this.#lease !== undefined : !this.#isCurrent(action.lease))
      return { kind: "conflict" };
    this.#version += 1;
    const metadata = { ...action.lease.metadata, resourceVersion: `${this.#version}` };
    this.#lease = { ...action.lease, metadata };
    return { kind: "written", lease: this.#lease };
  }

  #isCurrent(lease: LeaseObject): boolean {
    return lease.metadata.resourceVersion === this.#lease?.metadata.resourceVersion;
  }
}

/** A process with clocks of its own, that can be stopped at any point, and then misses everything until it goes on. */
class Machine {
  readonly #real: Clock;
  readonly #speed: number;
  #suspendedMs = 0;
  #setMs = 0;
  #missed: (() => void)[] = [];
  state: "running" | "stopped" | "dead" = "running";

  constructor(real: Clock, speed: number) {
    this.#real = real;
    this.#speed = speed;
  }

  readonly clock: Clock = {
    monotonic: () => (this.#real.monotonic() - this.#suspendedMs) * this.#speed,
    wall: () => Math.floor(this.#real.monotonic() * this.#speed + this.#setMs),
    schedule: (ms, run) => this.#real.schedule(Math.ceil(ms) / this.#speed, () => this.hear(run)),
  };

  /** Something arrives from outside: a timer, an answer. */
  hear(what: () => void): void {
    if (this.state === "running") what();
    else if (this.state === "stopped") this.#missed.push(what);
  }

  set(ms: number): void {
    this.#setMs += ms;
  }

  stop(how: "freeze" | "suspend", ms: number, onWake: () => void): void {
    this.state = "stopped";
    this.#real.schedule(ms, () => {
      if (how === "suspend") this.#suspendedMs += ms;
      this.state = "running";
      onWake();
      const missed = this.#missed;
      this.#missed = [];
      for (const one of missed) this.hear(one);
    });
  }
}

/** One candidate: the driver of `lease.ts`, without promises. */
class Candidate {
  readonly machine: Machine;
  readonly fence: Fence;
  readonly identity: string;
  readonly #world: World;
  #standing: Standing = {};
  #step = 0;

  constructor(world: World, identity: string, speed: number) {
    this.#world = world;
    this.identity = identity;
    this.machine = new Machine(world.real, speed);
    this.fence = new Fence({ clock: this.machine.clock, deadlineMs });
    this.#go({ kind: "due" }, 0);
  }

  leave(): void {
    this.#go({ kind: "leave" }, 0);
  }

  #go(input: LeaseInput, sentAt: number): void {
    const { clock } = this.machine;
    const me = { ...times, name: "lock", namespace: "home", identity: this.identity };
    const { standing, action, news } = decide(me, this.#standing, input, {
      monotonicMs: clock.monotonic(),
      wallMs: clock.wall(),
    });
    if (news === "lost") this.fence.close();
    if (news === "renewed") this.fence.renewed(sentAt);
    this.#standing = standing;
    this.#step += 1;
    if (action.kind === "end") this.machine.state = "dead";
    else if (action.kind === "wait")
      clock.schedule(
        action.ms,
        this.#ifNothingElseCame(() => this.#go({ kind: "due" }, 0)),
      );
    else this.#ask(action, this.fence.mark());
  }

  #ask(action: LeaseAction, sentAt: number): void {
    const hear = (answer: LeaseAnswer) => this.#ifNothingElseCame(() => this.#go(answer, sentAt));
    this.machine.clock.schedule(deadlineMs / 2, hear({ kind: "failed", message: "no answer in time" }));
    this.#world.send(action, (answer) => this.machine.hear(hear(answer)));
  }

  #ifNothingElseCame(run: () => void): () => void {
    const step = this.#step;
    return () => {
      if (this.#step === step) run();
    };
  }
}

export class World {
  readonly real: Clock;
  /** Who would have written under another's lease as the first thing when it woke. */
  readonly sleepwalkers: string[] = [];
  readonly registry = new Registry();
  readonly candidates: readonly Candidate[];
  #journeys: readonly Journey[];
  #sent = 0;

  constructor(real: Clock, lives: readonly Life[], journeys: readonly Journey[]) {
    this.real = real;
    this.#journeys = journeys;
    this.candidates = lives.map(({ speed, mishaps }, index) => {
      const candidate = new Candidate(this, `candidate ${index}`, speed);
      this.#meet(candidate, mishaps);
      return candidate;
    });
  }

  send(action: LeaseAction, hear: (answer: LeaseAnswer) => void): void {
    const { there, back } = this.#journeys[this.#sent++ % this.#journeys.length] ?? { there: 1, back: 1 };
    if (there === Infinity) return;
    this.real.schedule(there, () => {
      const answer = this.registry.answer(action);
      if (back !== Infinity) this.real.schedule(back, () => hear(answer));
    });
  }

  /** From now on every request arrives, and so does its answer. */
  calm(): void {
    this.#journeys = [{ there: 5, back: 5 }];
  }

  /** Whoever would write now if it could. A stopped one cannot, a dead one never. */
  get writers(): readonly string[] {
    return this.candidates
      .filter(({ machine, fence }) => machine.state === "running" && fence.mayWrite())
      .map(({ identity }) => identity);
  }

  #meet(candidate: Candidate, [mishap, ...rest]: readonly Mishap[]): void {
    if (mishap === undefined) return;
    const { machine } = candidate;
    this.real.schedule(mishap.afterMs, () => {
      if (machine.state === "dead") return;
      if (mishap.what === "crash") machine.state = "dead";
      else if (mishap.what === "leave") candidate.leave();
      else if (mishap.what === "set back") machine.set(-mishap.ms);
      else if (mishap.what === "set forward") machine.set(mishap.ms);
      else machine.stop(mishap.what, mishap.ms, () => this.#welcome(candidate));
      const isStopping = mishap.what === "freeze" || mishap.what === "suspend";
      this.real.schedule(isStopping ? mishap.ms : 0, () => this.#meet(candidate, rest));
    });
  }

  #welcome({ fence, identity }: Candidate): void {
    if (fence.mayWrite() && this.registry.holder !== identity) this.sleepwalkers.push(identity);
  }
}
