// Candidates for a lease with faults in their machines, clocks and requests.

import type { Clock } from "../clock.ts";
import {
  type ElectionState,
  holderOf,
  type LeaseAction,
  type LeaseAnswer,
  type LeaseInput,
  type LeaseObject,
  stepElection,
} from "../leaderelection/elector.ts";
import { defaultLeaseDurations } from "../leaderelection/leader-election.ts";
import { WriteFence } from "../leaderelection/write-fence.ts";

const { renewDeadlineMs: deadlineMs, ...times } = defaultLeaseDurations;

/** The latency of a request and its response in milliseconds. Infinity means that it is lost. */
export type Journey = { readonly there: number; readonly back: number };

export type MachineFault = {
  readonly afterMs: number;
  readonly what: "freeze" | "suspend" | "set back" | "set forward" | "leave" | "crash";
  readonly ms: number;
};

export type Life = { readonly speed: number; readonly faults: readonly MachineFault[] };

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

/** A process with its own clocks. While stopped, it receives nothing. */
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

class Candidate {
  readonly machine: Machine;
  readonly fence: WriteFence;
  readonly identity: string;
  readonly #harness: ElectionHarness;
  #state: ElectionState = {};
  #step = 0;

  constructor(harness: ElectionHarness, identity: string, speed: number) {
    this.#harness = harness;
    this.identity = identity;
    this.machine = new Machine(harness.real, speed);
    this.fence = new WriteFence({ clock: this.machine.clock, deadlineMs });
    this.#go({ kind: "due" }, 0);
  }

  leave(): void {
    this.#go({ kind: "leave" }, 0);
  }

  #go(input: LeaseInput, sentAt: number): void {
    const { clock } = this.machine;
    const me = { ...times, name: "lock", namespace: "home", identity: this.identity };
    const { state, action, fenceUpdate } = stepElection(me, this.#state, input, {
      monotonicMs: clock.monotonic(),
      wallMs: clock.wall(),
    });
    if (fenceUpdate === "lost") this.fence.close();
    if (fenceUpdate === "renewed") this.fence.renewed(sentAt);
    this.#state = state;
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
    this.machine.clock.schedule(deadlineMs / 2, hear({ kind: "failed", message: "no response in time" }));
    this.#harness.send(action, (answer) => this.machine.hear(hear(answer)));
  }

  #ifNothingElseCame(run: () => void): () => void {
    const step = this.#step;
    return () => {
      if (this.#step === step) run();
    };
  }
}

export class ElectionHarness {
  readonly real: Clock;
  /** Candidates that could have written after waking up although another process held the lease. Must stay empty. */
  readonly sleepwalkers: string[] = [];
  readonly registry = new Registry();
  readonly candidates: readonly Candidate[];
  #journeys: readonly Journey[];
  #sent = 0;

  constructor(real: Clock, lives: readonly Life[], journeys: readonly Journey[]) {
    this.real = real;
    this.#journeys = journeys;
    this.candidates = lives.map(({ speed, faults }, index) => {
      const candidate = new Candidate(this, `candidate ${index}`, speed);
      this.#meet(candidate, faults);
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

  calm(): void {
    this.#journeys = [{ there: 5, back: 5 }];
  }

  get writers(): readonly string[] {
    return this.candidates
      .filter(({ machine, fence }) => machine.state === "running" && fence.mayWrite())
      .map(({ identity }) => identity);
  }

  #meet(candidate: Candidate, [fault, ...rest]: readonly MachineFault[]): void {
    if (fault === undefined) return;
    const { machine } = candidate;
    this.real.schedule(fault.afterMs, () => {
      if (machine.state === "dead") return;
      if (fault.what === "crash") machine.state = "dead";
      else if (fault.what === "leave") candidate.leave();
      else if (fault.what === "set back") machine.set(-fault.ms);
      else if (fault.what === "set forward") machine.set(fault.ms);
      else machine.stop(fault.what, fault.ms, () => this.#welcome(candidate));
      const isStopping = fault.what === "freeze" || fault.what === "suspend";
      this.real.schedule(isStopping ? fault.ms : 0, () => this.#meet(candidate, rest));
    });
  }

  #welcome({ fence, identity }: Candidate): void {
    if (fence.mayWrite() && this.registry.holder !== identity) this.sleepwalkers.push(identity);
  }
}
