// Lists and watches a kind for a page until an error occurs. Detects a watch that has died silently.

import type { KubeObject } from "@virt/api";
import {
  initialReflectorState,
  isOlder,
  type ListPage,
  type ListPageRequest,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorStep,
  type StopSignal,
  type StreamEnd,
  stepReflector,
  type WatchFrame,
} from "@virt/objects";
import { Silence, type SilenceClock } from "./silence.ts";
import type { StreamLine } from "./stream-line.ts";
import type { WatchedKind, WatchedName } from "./watched-kinds.ts";

/** One kind, in one namespace or in all. */
export type FollowedSubject = {
  readonly name: WatchedName;
  readonly resource: WatchedKind["resource"];
  readonly namespace?: string;
};

/** Never throws. Pages show the `why` of a stream end, unless it is empty. */
export type KindTransport = {
  readonly page: (subject: FollowedSubject, page: ListPageRequest) => Promise<ListPage<KubeObject> | PageFailure>;
  /** Watches with bookmarks. */
  readonly watch: (subject: FollowedSubject, start: WatchPlace, onFrame: OnFrame) => OpenWatch;
  readonly clock: FollowClock;
  /** Aborted when the page closes. */
  readonly signal: StopSignal;
};

export type WatchPlace = { readonly from: string; readonly timeoutSeconds: number };

/** The clock of @virt/kube, which a browser cannot load. */
export type FollowClock = SilenceClock & { readonly schedule: (ms: number, run: () => void) => () => void };

/** The reason why a page of a list cannot be read. */
export type PageFailure = StreamEnd | { readonly how: "too large"; readonly why: string };

type OnFrame = (frame: WatchFrame<KubeObject>) => void;

/** `ended` resolves soon after `close`. */
export type OpenWatch = { readonly ended: Promise<StreamEnd>; readonly close: () => void };

export type FollowParts = { readonly transport: KindTransport; readonly send: (line: StreamLine) => void };

/** How a list or a watch ended. `waitMs` is the minimum pause before the next attempt. */
export type FollowEnd = "absent" | "forbidden" | { readonly waitMs: number };

const pageSize = 500;
const watchSeconds = 290;
const probeSeconds = 2;
/**
 * How long a watch may be silent. The API server sends a bookmark every minute, but not for all kinds, so silence alone
 * does not prove that a watch is dead.
 */
const silenceMs = { probe: 75_000, asleep: 150_000 } as const;
/** The interval between measurements of silence, and the time limit of a probe. */
const [checkMs, probeMs] = [5_000, 10_000];

/** Executes the decisions of `stepReflector` until an error occurs. */
export class SubjectFollower {
  readonly #subject: FollowedSubject;
  readonly #options: FollowParts;
  #step: ReflectorStep<KubeObject> = stepReflector(initialReflectorState({ canStream: false, pageSize }), {
    is: "start",
  });
  #listed: KubeObject[] = [];
  #watch: OpenWatch | undefined;
  /** The time since the objects were last known to be up to date. */
  readonly #silence: Silence;

  constructor(subject: FollowedSubject, options: FollowParts) {
    this.#subject = subject;
    this.#options = options;
    this.#silence = new Silence(options.transport.clock);
  }

  get hasObjects(): boolean {
    return this.#listed.length > 0;
  }

  /** Returns undefined when the list is complete. */
  async list(): Promise<FollowEnd | undefined> {
    for (let next = this.#next; next?.do === "list"; next = this.#next) {
      const { effort, page } = next;
      const answer = await this.#options.transport.page(this.#subject, page);
      if ("items" in answer) {
        for (const { item } of answer.items) this.#listed.push(item);
        this.#input({ is: "page", effort, ...answer });
      } else if (answer.how === "too large") {
        this.#input({ is: "page too large", effort, why: answer.why });
      } else if (isForbidden(answer)) return "forbidden";
      else this.#ended(effort, answer);
    }
    return this.#end;
  }

  /** Watches until the watch ends. Lists first if there is no list yet. */
  async follow(): Promise<FollowEnd> {
    for (;;) {
      const end = (await this.list()) ?? (await this.#watchListed());
      if (end !== undefined) return end;
    }
  }

  /** Returns undefined when the server requires a new list. */
  async #watchListed(): Promise<FollowEnd | undefined> {
    const { transport, send } = this.#options;
    send({ of: this.#subject.name, type: "list", objects: this.#listed });
    this.#listed = [];
    for (let next = this.#next; next?.do === "watch" && !transport.signal.aborted; next = this.#next) {
      const { effort, from } = next;
      this.#silence.restart();
      this.#watch = transport.watch(this.#subject, { from, timeoutSeconds: watchSeconds }, (frame) =>
        this.#input({ is: "frame", effort, frame }),
      );
      const stopChecks = this.#checkSilence(effort);
      const ending = await this.#watch.ended;
      this.#watch = undefined;
      stopChecks();
      if (isForbidden(ending)) return "forbidden";
      this.#ended(effort, ending);
    }
    return transport.signal.aborted ? { waitMs: 0 } : this.#end;
  }

  /** Checks for silence, because a watch can die while its connection stays open, and the machine can sleep. */
  #checkSilence(effort: number): () => void {
    const { clock } = this.#options.transport;
    const check = () => {
      cancel = clock.schedule(checkMs, check);
      const forMs = this.#silence.ms;
      if (forMs >= silenceMs.asleep) this.#outdated(effort);
      else if (forMs >= silenceMs.probe) this.#input({ is: "quiet", effort, forMs });
    };
    let cancel = clock.schedule(checkMs, check);
    return () => cancel();
  }

  /** Opens a watch from the same version on another connection. It receives events that the silent watch missed. */
  async #probe(effort: number, from: string): Promise<void> {
    const { transport } = this.#options;
    const silentAt = this.#silence.since;
    let hasMissed = false;
    const probe = transport.watch(this.#subject, { from, timeoutSeconds: probeSeconds }, (frame) => {
      hasMissed ||= frame.type !== "bookmark" && (!("version" in frame) || isOlder(from, frame.version));
    });
    const cancel = transport.clock.schedule(probeMs, probe.close);
    const { how } = await probe.ended;
    cancel();
    if (effort !== this.#step.state.effort) return;
    const isSilent = silentAt === this.#silence.since;
    if (isSilent && (how !== "whole" || hasMissed)) return this.#outdated(effort);
    this.#silence.restart();
    this.#input({ is: "probed", effort, saw: "nothing" });
  }

  #outdated(effort: number): void {
    this.#ended(effort, { how: "broken", why: "the watch stopped delivering changes" }, this.#silence.since.wall);
  }

  get #next(): ReflectorAction<KubeObject> | undefined {
    return this.#step.actions.at(-1);
  }

  get #end(): FollowEnd | undefined {
    const next = this.#next;
    if (next?.do === "wait") return { waitMs: next.atLeastMs };
    return next?.do === "vanish" ? "absent" : undefined;
  }

  #ended(effort: number, ending: StreamEnd, currentAt?: number): void {
    const isCurrent = effort === this.#step.state.effort;
    if (isCurrent && !this.#options.transport.signal.aborted) this.#reportEnd(ending, currentAt);
    this.#input({ is: "ended", effort, ending });
  }

  /**
   * Reports how a watch ended. An expired version, or a kind that is not served, does not make the objects on the page
   * out of date.
   */
  #reportEnd(ending: StreamEnd, currentAt?: number): void {
    const { name: of } = this.#subject;
    const code = ending.how === "refused" ? ending.code : 0;
    if (ending.how === "whole" || code === 404 || code === 410) return;
    const isUnauthorized = ending.how === "broken" ? ending.isUnauthorized === true : code === 401;
    const since = currentAt === undefined ? {} : { currentAt };
    if (isUnauthorized) this.#options.send({ of, type: "unauthorized" });
    else if (ending.why !== "") this.#options.send({ of, type: "unavailable", message: ending.why, ...since });
  }

  #input(input: ReflectorInput<KubeObject> & { readonly effort: number }): void {
    // A frame may have ended its watch. Ignores later frames of that watch.
    if (input.effort !== this.#step.state.effort) return;
    if (input.is === "frame") this.#silence.restart();
    this.#step = stepReflector(this.#step.state, input);
    const { name: of } = this.#subject;
    for (const action of this.#step.actions) {
      if (action.do === "close-watch") this.#watch?.close();
      if (action.do === "probe") void this.#probe(action.effort, action.from);
      if (action.do === "overflow") this.#options.send({ of, type: "unavailable", message: action.why });
      if (action.do !== "change") continue;
      const { type, item } = action.frame;
      this.#options.send({ of, type: type === "put" ? "changed" : "removed", object: item });
    }
  }
}

function isForbidden(ending: StreamEnd): boolean {
  return ending.how === "refused" && ending.code === 403;
}
