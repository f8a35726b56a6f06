// Lists and watches one kind for a page: the objects, then each change, or the reason if there are none. The transport is an
// argument: HTTP in the console's own server, fetch and WebSocket in OpenShift's console.

import { pauseAfter, sleep } from "@virt/objects";
import { type FollowEnd, type FollowedSubject, type FollowParts, SubjectFollower } from "./follow-subject.ts";
import type { StreamLine } from "./stream-line.ts";
import { type WatchedKind, type WatchedName, watchedKinds } from "./watched-kinds.ts";

const pauseMs = { absent: 10_000, forbidden: 30_000 } as const;
/** The pause after a failure doubles until a list succeeds. */
const failurePauseMs = { first: 1_000, most: 30_000 };

/** Resolves when the page closes. */
export async function followWatchedKind(name: WatchedName, { transport, send }: FollowParts): Promise<void> {
  let failures = 0;
  const countAndSend = (line: StreamLine) => {
    if (line.type === "list") failures = 0;
    send(line);
  };
  while (!transport.signal.aborted) {
    const end = await followOnce(name, { transport, send: countAndSend });
    if (typeof end === "string") await sleep(transport.clock, pauseMs[end], transport.signal);
    else {
      failures++;
      await sleep(transport.clock, Math.max(end.waitMs, pauseAfter(failures, failurePauseMs)), transport.signal);
    }
  }
}

async function followOnce(name: WatchedName, options: FollowParts): Promise<FollowEnd> {
  const { resource, fallbackNamespaces = [] }: WatchedKind = watchedKinds[name];
  const { group, plural } = resource;
  const kind = group === "" ? plural : `${plural}.${group}`;
  const end = await new SubjectFollower({ name, resource }, options).follow();
  if (end === "absent") options.send({ of: name, type: "absent", resource: kind });
  if (end !== "forbidden") return end;
  const narrowEnd = await followNamespaces({ name, resource }, fallbackNamespaces, options);
  if (narrowEnd === "forbidden") options.send({ of: name, type: "forbidden", resource: kind });
  return narrowEnd;
}

/**
 * Watches the first namespace that contains objects. If none does and only one namespace is readable, watches this one.
 * If several are readable, lists all of them again after a pause, because objects may appear in any of them.
 */
async function followNamespaces(
  subject: FollowedSubject,
  namespaces: readonly string[],
  options: FollowParts,
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
