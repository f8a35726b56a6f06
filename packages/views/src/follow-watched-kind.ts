// Lists and watches one kind for a page: the objects, then each change, or the reason if there are none. The transport is an
// argument: HTTP in the console's own server, fetch and WebSocket in OpenShift's console.

import type { KubeObject } from "@virt/api";
import {
  initialReflectorState,
  type ListPage,
  type ListPageRequest,
  pauseAfter,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorStep,
  type StreamEnd,
  stepReflector,
  type WatchFrame,
} from "@virt/objects";
import type { StreamLine } from "./stream-line.ts";
import { type WatchedKind, type WatchedName, watchedKinds } from "./watched-kinds.ts";

/** One kind as one version of it, in one namespace or in all. */
export type FollowedSubject = {
  readonly name: WatchedName;
  readonly resource: WatchedKind["resources"][number];
  readonly namespace?: string;
};

/** Never throws. Pages show the `why` of a stream end, unless it is empty. */
export type KindTransport = {
  readonly page: (subject: FollowedSubject, page: ListPageRequest) => Promise<ListPage<KubeObject> | PageFailure>;
  /** Watches from this version, with bookmarks. */
  readonly watch: (subject: FollowedSubject, from: string, onFrame: OnFrame) => OpenWatch;
  readonly pause: (ms: number) => Promise<void>;
  /** True once the page has gone. */
  readonly isEnded: () => boolean;
};

export type PageFailure = StreamEnd | { readonly how: "too large"; readonly why: string };

type OnFrame = (frame: WatchFrame<KubeObject>) => void;

export type OpenWatch = { readonly ended: Promise<StreamEnd>; readonly close: () => void };

type FollowOptions = { readonly transport: KindTransport; readonly send: (line: StreamLine) => void };

/** How a list or a watch ended. `waitMs` is the shortest pause before the next attempt. */
type FollowEnd = "absent" | "forbidden" | { readonly waitMs: number };

const pauseMs = { absent: 10_000, forbidden: 30_000 } as const;
/** The pause after a failure doubles until a list succeeds. */
const failurePauseMs = { first: 1_000, most: 30_000 };
const pageSize = 500;

/** Settles when the transport has ended. */
export async function followWatchedKind(name: WatchedName, { transport, send }: FollowOptions): Promise<void> {
  let failures = 0;
  const countAndSend = (line: StreamLine) => {
    if (line.type === "list") failures = 0;
    send(line);
  };
  while (!transport.isEnded()) {
    const end = await followFirst(name, { transport, send: countAndSend });
    if (transport.isEnded()) return;
    if (typeof end === "string") await transport.pause(pauseMs[end]);
    else {
      failures++;
      await transport.pause(Math.max(end.waitMs, pauseAfter(failures, failurePauseMs)));
    }
  }
}

/** Versions and namespaces one after another, until one is served and allowed. */
async function followFirst(name: WatchedName, options: FollowOptions): Promise<FollowEnd> {
  const kind: WatchedKind = watchedKinds[name];
  for (const resource of kind.resources) {
    const end = await new SubjectFollower({ name, resource }, options).follow();
    if (end === "absent") continue;
    if (end !== "forbidden") return end;
    const narrow = await followNamespaces({ name, resource }, kind.fallbackNamespaces ?? [], options);
    if (narrow !== "forbidden") return narrow;
    options.send({ of: name, type: "forbidden", resource: kindName(resource) });
    return "forbidden";
  }
  options.send({ of: name, type: "absent", resource: kindName(kind.resources[0]) });
  return "absent";
}

/**
 * Follows the first namespace with objects. If none has any, it follows the only one that may be read; of several, all are listed again
 * after a pause, because the objects may appear in any.
 */
async function followNamespaces(
  subject: FollowedSubject,
  namespaces: readonly string[],
  options: FollowOptions,
): Promise<FollowEnd> {
  const empty: SubjectFollower[] = [];
  for (const namespace of namespaces) {
    const follower = new SubjectFollower({ ...subject, namespace }, options);
    const end = await follower.list();
    if (end === "forbidden") continue;
    if (end !== undefined) return end;
    if (follower.hasObjects) return follower.follow();
    empty.push(follower);
  }
  const [only, another] = empty;
  if (only === undefined) return "forbidden";
  if (another === undefined) return only.follow();
  options.send({ of: subject.name, type: "list", objects: [] });
  return "absent";
}

function kindName(resource: FollowedSubject["resource"] | undefined): string {
  if (resource === undefined) return "";
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** Performs the decisions of `stepReflector` for one subject until it fails: another version or namespace may then be the right one. */
class SubjectFollower {
  readonly #subject: FollowedSubject;
  readonly #options: FollowOptions;
  #step: ReflectorStep<KubeObject> = stepReflector(initialReflectorState({ canStream: false, pageSize }), {
    is: "start",
  });
  #listed: KubeObject[] = [];

  constructor(subject: FollowedSubject, options: FollowOptions) {
    this.#subject = subject;
    this.#options = options;
  }

  get hasObjects(): boolean {
    return this.#listed.length > 0;
  }

  /** Undefined: the list is complete. */
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

  /** Lists first, if there is no list yet. */
  async follow(): Promise<FollowEnd> {
    for (;;) {
      const end = (await this.list()) ?? (await this.#watch());
      if (end !== undefined) return end;
    }
  }

  /** Undefined: the server wants a new list. */
  async #watch(): Promise<FollowEnd | undefined> {
    const { transport, send } = this.#options;
    send({ of: this.#subject.name, type: "list", objects: this.#listed });
    this.#listed = [];
    for (let next = this.#next; next?.do === "watch" && !transport.isEnded(); next = this.#next) {
      const { effort, from } = next;
      const watch = transport.watch(this.#subject, from, (frame) => {
        this.#input({ is: "frame", effort, frame });
        if (this.#step.state.effort !== effort) watch.close();
      });
      const ending = await watch.ended;
      if (isForbidden(ending)) return "forbidden";
      this.#ended(effort, ending);
    }
    return transport.isEnded() ? { waitMs: 0 } : this.#end;
  }

  get #next(): ReflectorAction<KubeObject> | undefined {
    return this.#step.actions.at(-1);
  }

  get #end(): FollowEnd | undefined {
    const next = this.#next;
    if (next?.do === "wait") return { waitMs: next.atLeastMs };
    return next?.do === "vanish" ? "absent" : undefined;
  }

  #ended(effort: number, ending: StreamEnd): void {
    const isCurrent = effort === this.#step.state.effort;
    if (isCurrent && !this.#options.transport.isEnded()) this.#reportEnd(ending);
    this.#input({ is: "ended", effort, ending });
  }

  /** A kind that is not served and an expired version are not problems of the objects on the page. */
  #reportEnd(ending: StreamEnd): void {
    const { name: of } = this.#subject;
    const code = ending.how === "refused" ? ending.code : 0;
    if (ending.how === "whole" || code === 404 || code === 410) return;
    const isUnauthorized = ending.how === "broken" ? ending.isUnauthorized === true : code === 401;
    if (isUnauthorized) this.#options.send({ of, type: "unauthorized" });
    else if (ending.why !== "") this.#options.send({ of, type: "unavailable", message: ending.why });
  }

  #input(input: ReflectorInput<KubeObject> & { readonly effort: number }): void {
    // A frame may have ended its watch. Later frames of that watch do not count.
    if (input.effort !== this.#step.state.effort) return;
    this.#step = stepReflector(this.#step.state, input);
    const { name: of } = this.#subject;
    for (const action of this.#step.actions) {
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
