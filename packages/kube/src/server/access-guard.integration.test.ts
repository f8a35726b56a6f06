import { reply, type ScriptedReply, VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { noLease } from "../leaderelection/write-fence.ts";
import { startScripted } from "../testing/scripted-client.ts";
import { AccessGuard, type LookupLimit, noLookups, takeLookup } from "./access-guard.ts";

const token = "c4nary-token";
const never = new AbortController().signal;
const user = { username: "prometheus", uid: "u", groups: ["g"], extra: { k: ["v"] } };
const known = reply.json(201, { kind: "TokenReview", status: { authenticated: true, user } });
const unauthenticated = reply.json(201, { kind: "TokenReview", status: { authenticated: false, error: "unknown" } });
const yes = reply.json(201, { kind: "SubjectAccessReview", status: { allowed: true } });
const no = reply.json(201, { kind: "SubjectAccessReview", status: { allowed: false } });

async function begin(script: readonly ScriptedReply[]) {
  const { server, client } = await startScripted(script);
  const clock = new VirtualClock();
  const guard = new AccessGuard({ client: client.under(noLease), clock });
  const authorize = async (authorization: string | undefined = `Bearer ${token}`, path = "/metrics", address = "a") =>
    (await guard.authorize({ authorization, path, address }, never)).kind;
  return { server, clock, guard, authorize };
}

test("sends a TokenReview and a SubjectAccessReview", async () => {
  const { server, authorize } = await begin([known, yes]);
  expect(await authorize()).toBe("allowed");
  expect(server.seen.map(({ method, path, body }) => [method, path, JSON.parse(body) as unknown])).toMatchObject([
    ["POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } }],
    [
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      {
        spec: {
          user: "prometheus",
          uid: "u",
          groups: ["g"],
          extra: { k: ["v"] },
          nonResourceAttributes: { path: "/metrics", verb: "get" },
        },
      },
    ],
  ]);
});

test("caches a permission for a minute and its path", async () => {
  const { server, clock, authorize } = await begin([known, yes, no, known, yes]);
  await authorize();
  await clock.advance(59_999);
  expect([await authorize(), server.seen.length]).toEqual(["allowed", 2]);
  expect([await authorize(undefined, "/debug"), server.seen.length]).toEqual(["forbidden", 3]);
  await clock.advance(1);
  expect([await authorize(), server.seen.length]).toEqual(["allowed", 5]);
});

test("caches a denial for ten seconds", async () => {
  const { server, clock, authorize } = await begin([unauthenticated, unauthenticated, known, no, yes]);
  expect([await authorize(), await authorize(), server.seen.length]).toEqual(["unknown", "unknown", 1]);
  await clock.advance(10_000);
  expect([await authorize(), server.seen.length]).toEqual(["unknown", 2]);
  await clock.advance(10_000);
  expect([await authorize(), await authorize(), server.seen.length]).toEqual(["forbidden", "forbidden", 4]);
  await clock.advance(10_000);
  expect([await authorize(), server.seen.length]).toEqual(["allowed", 5]);
});

test("parallel requests with one token cause one review", async () => {
  const { server, authorize } = await begin([known, yes]);
  const all = await Promise.all(Array.from({ length: 50 }, () => authorize()));
  expect(new Set(all)).toEqual(new Set(["allowed"]));
  expect(server.seen).toHaveLength(2);
});

test.each([undefined, "", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer ä", `Token ${token}`])(
  "rejects %j without a review",
  async (authorization) => {
    const { server, guard } = await begin([]);
    expect(await guard.authorize({ authorization, path: "/", address: "a" }, never)).toEqual({ kind: "unknown" });
    expect(server.seen).toEqual([]);
  },
);

test("denies access without the API server, and retries at the next request", async () => {
  const refused = reply.json(403, { kind: "Status", message: "you may not create tokenreviews" });
  const { guard, authorize } = await begin([reply.reset, refused, known, reply.json(500, {}), known, yes]);
  const visitor = { authorization: `bearer ${token}`, path: "/metrics", address: "a" };
  expect(await guard.authorize(visitor, never)).toMatchObject({ kind: "unavailable" });
  expect(await guard.authorize(visitor, never)).toEqual({
    kind: "unavailable",
    message: "cannot create tokenreviews: you may not create tokenreviews",
  });
  expect(await authorize()).toBe("unavailable");
  expect(await authorize("Bearer another")).toBe("allowed");
});

test("throttles many tokens of one address, but not others", async () => {
  const { server, clock, authorize } = await begin([
    ...Array.from({ length: 10 }, () => unauthenticated),
    known,
    yes,
    unauthenticated,
  ]);
  const flood: string[] = [];
  for (let at = 0; at < 15; at++) flood.push(await authorize(`Bearer bad-${at}`));
  expect(flood.slice(8)).toEqual([
    "unknown",
    "unknown",
    "throttled",
    "throttled",
    "throttled",
    "throttled",
    "throttled",
  ]);
  expect(await authorize(undefined, "/metrics", "b")).toBe("allowed");
  await clock.advance(500);
  expect(await authorize("Bearer bad-x")).toBe("unknown");
  expect(server.seen).toHaveLength(13);
});

test("limits reviews to a burst of 50 and ten a second", () => {
  const visit = fc.record({ address: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"), pause: fc.nat(60) });
  const law = fc.property(fc.array(visit, { size: "max", maxLength: 120 }), (visits) => {
    let limit: LookupLimit = noLookups;
    let now = 0;
    const granted = new Map<string, number>();
    return visits.every(({ address, pause }) => {
      now += pause;
      const taken = takeLookup(limit, address, now);
      limit = taken.limit;
      if (taken.retryInMs > 0) return true;
      for (const who of [address, "all"]) granted.set(who, (granted.get(who) ?? 0) + 1);
      const isBounded = (granted.get(address) ?? 0) <= 10 + now / 500;
      return isBounded && (granted.get("all") ?? 0) <= 50 + now / 100;
    });
  });
  fc.assert(law);
});
