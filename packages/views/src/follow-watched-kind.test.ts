import type { KubeObject } from "@virt/api";
import type { ListPage, ListPageRequest, StreamEnd, WatchFrame } from "@virt/objects";
import { expect, test } from "vitest";
import { followWatchedKind, type KindTransport, type PageFailure } from "./follow-watched-kind.ts";
import type { StreamLine } from "./stream-line.ts";
import type { WatchedName } from "./watched-kinds.ts";

type PageReply = ListPage<KubeObject> | PageFailure;
type WatchReply = { readonly frames: readonly WatchFrame<KubeObject>[]; readonly end: StreamEnd };
type Request = { readonly path: string; readonly from?: string; readonly page?: ListPageRequest };

const item = (name: string, version = "1") => {
  const object: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name, resourceVersion: version } };
  return { type: "put", key: name, version, item: object } as const;
};
const page = (names: readonly string[], version: string, more?: string): PageReply => ({
  items: names.map((name) => item(name)),
  version,
  ...(more !== undefined && { continue: more }),
});
const refused = (code: number, why = ""): StreamEnd => ({ how: "refused", code, why });
const lost: StreamEnd = { how: "broken", why: "connection lost" };
const line = ({ type, ...rest }: StreamLine) => {
  if ("objects" in rest) return `${type} ${rest.objects.map(({ metadata }) => metadata.name).join(" ")}`;
  return "object" in rest ? `${type} ${rest.object.metadata.name}` : `${type} ${Object.values(rest).at(-1)}`;
};

/** Gives these answers one after another. The page goes when a pause follows the last of them. */
async function follow(answers: readonly (PageReply | WatchReply)[], name: WatchedName = "nodes") {
  const left = [...answers];
  const requests: Request[] = [];
  const lines: string[] = [];
  const pauses: number[] = [];
  let hasEnded = false;
  const transport: KindTransport = {
    page: ({ resource, namespace = "*" }, asked) => {
      requests.push({ path: `${namespace}/${resource.plural}`, page: asked });
      return Promise.resolve((left.shift() as PageReply | undefined) ?? lost);
    },
    watch: ({ resource, namespace = "*" }, from, onFrame) => {
      requests.push({ path: `${namespace}/${resource.plural}`, from });
      const { frames, end } = (left.shift() as WatchReply | undefined) ?? { frames: [], end: lost };
      const ended = Promise.resolve().then(() => {
        frames.forEach(onFrame);
        return end;
      });
      return { ended, close: () => void lines.push("close") };
    },
    pause: (ms) => {
      pauses.push(ms);
      hasEnded = left.length === 0;
      return Promise.resolve();
    },
    isEnded: () => hasEnded,
  };
  await followWatchedKind(name, { transport, send: (sent) => lines.push(line(sent)) });
  return { requests, lines, pauses };
}

test("a list comes in pages, and the watch resumes from the last version it saw", async () => {
  const changes: WatchReply = {
    frames: [item("a", "8"), { type: "bookmark", version: "9", isInitialEnd: false }],
    end: { how: "whole" },
  };
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

test("a broken watch is followed by a new list after a pause", async () => {
  const { lines, pauses } = await follow([page(["a"], "7"), { frames: [], end: lost }, page(["b"], "8")]);
  expect(lines.slice(0, 3)).toEqual(["list a", "unavailable connection lost", "list b"]);
  expect(pauses[0]).toBe(1_000);
});

test("a version that the server has forgotten leads to a new list at once", async () => {
  const gone: WatchReply = { frames: [{ type: "error", code: 410, message: "too old" }], end: { how: "whole" } };
  const { lines, pauses } = await follow([page(["a"], "7"), gone, page(["b"], "9")]);
  expect(lines).toEqual(["list a", "close", "list b", "unavailable connection lost"]);
  expect(pauses).toEqual([1_000]);
});

test("a list whose remaining pages expired begins again, without a problem on the page", async () => {
  const { lines, requests } = await follow([page(["a"], "7", "token"), refused(410, "expired"), page(["b"], "9")]);
  expect(lines[0]).toBe("list b");
  expect(requests[2]?.page).toEqual({ limit: 500 });
});

test("an event that cannot be read ends the watch, and a new list follows", async () => {
  const half: WatchReply = { frames: [{ type: "malformed", why: "half" }, item("x", "8")], end: lost };
  const { lines } = await follow([page(["a"], "7"), half, page(["b"], "9")]);
  expect(lines.slice(0, 4)).toEqual(["list a", "close", "close", "list b"]);
});

test("requests fewer objects if a page is too large, and reports a single object", async () => {
  const large = { how: "too large", why: "larger than 8 MB" } as const;
  const { lines, requests, pauses } = await follow([large, large, large, large]);
  expect(requests.map((request) => request.page?.limit)).toEqual([500, 62, 7, 1]);
  expect([lines, pauses]).toEqual([["unavailable larger than 8 MB"], [30_000]]);
});

test("a list that keeps failing is requested less and less often", async () => {
  const failures = Array.from({ length: 7 }, () => refused(500, "broken"));
  const { pauses } = await follow([...failures, page([], "7"), { frames: [], end: lost }]);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000]);
});

test("refused credentials are reported as unauthorized", async () => {
  const { lines } = await follow([refused(401, "Unauthorized"), { ...lost, isUnauthorized: true }]);
  expect(lines).toEqual(["unauthorized nodes", "unauthorized nodes"]);
});

test("a kind that no version serves is absent, and is retried after 10 seconds", async () => {
  const { lines, pauses, requests } = await follow([refused(404), refused(404)], "hyperConvergeds");
  expect(requests.map(({ path }) => path)).toEqual(["*/hyperconvergeds", "*/hyperconvergeds"]);
  expect([lines, pauses]).toEqual([["absent hyperconvergeds.hco.kubevirt.io"], [10_000]]);
});

test("follows the namespace with objects if all cannot be listed", async () => {
  const { lines, requests } = await follow([refused(403), page([], "7"), page(["a"], "8")], "hyperConvergeds");
  expect(requests.map(({ path }) => path)).toEqual([
    "*/hyperconvergeds",
    "openshift-cnv/hyperconvergeds",
    "kubevirt-hyperconverged/hyperconvergeds",
    "kubevirt-hyperconverged/hyperconvergeds",
  ]);
  expect(lines[0]).toBe("list a");
});

test("a kind that no namespace allows is forbidden, and is retried after 30 seconds", async () => {
  const { lines, pauses } = await follow([refused(403), refused(403), refused(403)], "hyperConvergeds");
  expect([lines, pauses]).toEqual([["forbidden hyperconvergeds.hco.kubevirt.io"], [30_000]]);
});
