import type { KubeObject } from "@virt/api";
import type { ListPage, ListPageRequest, StreamEnd, WatchFrame } from "@virt/objects";
import { VirtualClock } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import type { FollowedSubject, KindTransport, PageFailure } from "./follow-subject.ts";
import { followWatchedKind } from "./follow-watched-kind.ts";
import type { StreamLine } from "./stream-line.ts";
import type { WatchedName } from "./watched-kinds.ts";

type Frame = WatchFrame<KubeObject>;
type PageReply = ListPage<KubeObject> | PageFailure;
/** Without an end, the watch stays open. */
type WatchReply = { readonly frames: readonly Frame[]; readonly end?: StreamEnd };
type Request = { readonly path: string; readonly from?: string; readonly page?: ListPageRequest };

const item = (name: string, version = "1") => {
  const object: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name, resourceVersion: version } };
  return { type: "put", key: name, version, item: object } as const;
};
const bookmark = (version: string) => ({ type: "bookmark", version, isInitialEnd: false }) as const;
const page = (names: readonly string[], version: string, more?: string): PageReply => ({
  items: names.map((name) => item(name)),
  version,
  ...(more !== undefined && { continue: more }),
});
const refused = (code: number, why = ""): StreamEnd => ({ how: "refused", code, why });
const lost: StreamEnd = { how: "broken", why: "connection lost" };
const silent: WatchReply = { frames: [] };
const line = (sent: StreamLine) => {
  if (sent.type === "list") return `list ${sent.objects.map(({ metadata }) => metadata.name).join(" ")}`;
  if ("object" in sent) return `${sent.type} ${sent.object.metadata.name}`;
  if ("resource" in sent) return `${sent.type} ${sent.resource}`;
  if (sent.type !== "unavailable") return sent.type;
  return [sent.type, sent.message, ...(sent.currentAt === undefined ? [] : [`since ${sent.currentAt}`])].join(" ");
};

/** Returns these answers one after another. The page closes with the first request for which there is no answer. */
function startFollowing(answers: readonly (PageReply | WatchReply)[], name: WatchedName = "nodes") {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const left = [...answers];
  const requests: Request[] = [];
  const lines: string[] = [];
  const pauses: number[] = [];
  const frames: ((frame: Frame) => void)[] = [];
  let answeredAt = 0;
  const reply = ({ resource, namespace = "*" }: FollowedSubject, asked: Omit<Request, "path">) => {
    if (clock.wall() > answeredAt) pauses.push(clock.wall() - answeredAt);
    answeredAt = clock.wall();
    const answer = left.shift();
    if (answer === undefined) stop.abort();
    else requests.push({ path: `${namespace}/${resource.plural}`, ...asked });
    return answer;
  };
  const transport: KindTransport = {
    clock,
    signal: stop.signal,
    page: (subject, asked) => Promise.resolve((reply(subject, { page: asked }) as PageReply | undefined) ?? lost),
    watch: (subject, { from }, onFrame) => {
      const ended = Promise.withResolvers<StreamEnd>();
      const answer = (reply(subject, { from }) as WatchReply | undefined) ?? { frames: [], end: lost };
      frames.push(onFrame);
      queueMicrotask(() => {
        answer.frames.forEach(onFrame);
        if (answer.end !== undefined) ended.resolve(answer.end);
      });
      return { ended: ended.promise, close: () => (lines.push("close"), ended.resolve(lost)) };
    },
  };
  void followWatchedKind(name, { transport, send: (sent) => lines.push(line(sent)) });
  return { clock, requests, lines, pauses, frames };
}

async function follow(...[answers, name]: Parameters<typeof startFollowing>) {
  const following = startFollowing(answers, name);
  await following.clock.advance(200_000);
  return following;
}

test("lists in pages, and resumes the watch from its last version", async () => {
  const changes = { frames: [item("a", "8"), bookmark("9")], end: { how: "whole" } } as const;
  const removal: WatchReply = { frames: [{ ...item("b", "10"), type: "drop" }], end: lost };
  const { lines, requests } = await follow([page(["a"], "7", "token"), page(["b"], "7"), changes, removal]);
  expect(requests).toEqual([
    { path: "*/nodes", page: { limit: 500 } },
    { path: "*/nodes", page: { limit: 500, continue: "token" } },
    { path: "*/nodes", from: "7" },
    { path: "*/nodes", from: "9" },
  ]);
  expect(lines).toEqual(["list a b", "changed a", "removed b", "unavailable connection lost"]);
});

const expired: WatchReply = { frames: [{ type: "error", code: 410, message: "too old" }] };
const unreadable: WatchReply = { frames: [{ type: "malformed", why: "half" }, item("x", "8")] };

test.each([
  { how: "breaks", watch: { frames: [], end: lost }, between: ["unavailable connection lost"], pauses: [1_000] },
  { how: "expires", watch: expired, between: ["close"], pauses: [] },
  { how: "sends an unreadable event", watch: unreadable, between: ["close"], pauses: [1_000] },
])("lists again if a watch $how", async ({ watch, between, pauses }) => {
  const following = await follow([page(["a"], "7"), watch, page(["b"], "8")]);
  expect(following.lines).toEqual(["list a", ...between, "list b"]);
  expect(following.pauses).toEqual(pauses);
});

test("begins a list again if its remaining pages expired, without a problem on the page", async () => {
  const { lines, requests } = await follow([page(["a"], "7", "token"), refused(410, "expired"), page(["b"], "9")]);
  expect(lines).toEqual(["list b"]);
  expect(requests[2]?.page).toEqual({ limit: 500 });
});

test("requests fewer objects if a page is too large, and reports a single object", async () => {
  const large = { how: "too large", why: "larger than 8 MB" } as const;
  const { lines, requests, pauses } = await follow([large, large, large, large]);
  expect(requests.map((request) => request.page?.limit)).toEqual([500, 62, 7, 1]);
  expect([lines, pauses]).toEqual([["unavailable larger than 8 MB"], [30_000]]);
});

test("requests a list that keeps failing less and less often", async () => {
  const failures = Array.from({ length: 7 }, () => refused(500, "broken"));
  const { pauses } = await follow([...failures, page([], "7"), { frames: [], end: lost }]);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000]);
});

test("reports rejected credentials as unauthorized", async () => {
  const { lines } = await follow([refused(401, "Unauthorized"), { ...lost, isUnauthorized: true }]);
  expect(lines).toEqual(["unauthorized", "unauthorized"]);
});

test.each([
  { why: "that is not served", code: 404, type: "absent", requests: 1, pause: 10_000 },
  { why: "that no namespace allows", code: 403, type: "forbidden", requests: 3, pause: 30_000 },
])("a kind $why is $type, and is retried after $pause ms", async ({ code, type, requests, pause }) => {
  const { lines, pauses } = await follow(Array<StreamEnd>(requests).fill(refused(code)), "platformLeases");
  expect([lines, pauses]).toEqual([[`${type} leases.coordination.k8s.io`], [pause]]);
});

test("follows the namespace with objects if all cannot be listed", async () => {
  const { lines, requests } = await follow([refused(403), page([], "7"), page(["a"], "8"), silent], "reports");
  expect(requests.map(({ path }) => path).slice(0, 4)).toEqual([
    "*/configmaps",
    "virt-platform-operator-system/configmaps",
    "virt-operators-system/configmaps",
    "virt-operators-system/configmaps",
  ]);
  expect(lines[0]).toBe("list a");
});

test("a watch with a bookmark every minute is not probed", async () => {
  const { clock, frames, lines, requests } = startFollowing([page(["a"], "7"), silent]);
  for (let minute = 1; minute < 10; minute++) {
    await clock.advance(60_000);
    frames[0]?.(bookmark(`${minute + 10}`));
  }
  expect([requests.length, lines]).toEqual([2, ["list a"]]);
});

test("a silent watch is probed every 75 seconds, and kept if it missed nothing", async () => {
  const nothing: WatchReply = { frames: [bookmark("9")], end: { how: "whole" } };
  const { clock, lines, requests } = startFollowing([page(["a"], "7"), silent, nothing, nothing, nothing]);
  await clock.advance(230_000);
  expect(requests.slice(2).map(({ from }) => from)).toEqual(["7", "7", "7"]);
  expect(lines).toEqual(["list a"]);
});

const stopped = "unavailable the watch stopped delivering changes since 0";

test.each<{ found: string; probe: WatchReply }>([
  { found: "finds a missed change", probe: { frames: [item("b", "8")], end: { how: "whole" } } },
  { found: "finds an expired version", probe: { ...expired, end: { how: "whole" } } },
  { found: "is refused", probe: { frames: [], end: refused(500) } },
  { found: "gets no answer", probe: silent },
])("shows the objects as old and lists again if the probe of a silent watch $found", async ({ probe }) => {
  const { clock, lines } = startFollowing([page(["a"], "7"), silent, probe, page(["b"], "9"), silent]);
  await clock.advance(74_000);
  expect(lines).toEqual(["list a"]);
  await clock.advance(15_000);
  expect(lines.filter((one) => one !== "close")).toEqual(["list a", stopped, "list b"]);
});

test("keeps a watch that delivers an event while it is probed", async () => {
  const { clock, frames, lines, requests } = startFollowing([page(["a"], "7"), silent, silent]);
  await clock.advance(76_000);
  expect(requests.length).toBe(3);
  frames[0]?.(item("a", "8"));
  await clock.advance(60_000);
  expect(lines).toEqual(["list a", "changed a", "close"]);
});

test("shows the objects as old and lists again after the machine slept", async () => {
  const { clock, lines } = startFollowing([page(["a"], "7"), silent, page(["b"], "9"), silent]);
  await clock.advance(1_000);
  clock.suspend(3_600_000);
  expect(lines).toEqual(["list a"]);
  await clock.advance(6_000);
  expect(lines).toEqual(["list a", stopped, "close", "list b"]);
});
