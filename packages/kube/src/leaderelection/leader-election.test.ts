import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { holderOf, type LeaseAnswer, type LeaseObject, newLease } from "./elector.ts";
import { defaultLeaseDurations, type LeaseApi, runLeaderElection } from "./leader-election.ts";
import { WriteFence } from "./write-fence.ts";

const me = { name: "lock", namespace: "home", identity: "me", ...defaultLeaseDurations };
const other = { ...me, identity: "other" };

class Shelf implements LeaseApi {
  lease: LeaseObject | undefined;
  mode: "answering" | "hanging" | "losing answers" | "broken" = "answering";
  readonly calls: string[] = [];
  onWrite: () => void = () => undefined;

  read(signal: AbortSignal): Promise<LeaseAnswer> {
    return this.#reply("read", signal, () =>
      this.lease === undefined ? { kind: "absent" } : { kind: "found", lease: this.lease },
    );
  }

  create(lease: LeaseObject, signal: AbortSignal): Promise<LeaseAnswer> {
    return this.#reply("create", signal, () => (this.lease === undefined ? this.put(lease) : { kind: "conflict" }));
  }

  update(lease: LeaseObject, signal: AbortSignal): Promise<LeaseAnswer> {
    const isCurrent = () => lease.metadata.resourceVersion === this.lease?.metadata.resourceVersion;
    return this.#reply(`update to "${holderOf(lease)}"`, signal, () =>
      isCurrent() ? this.put(lease) : { kind: "conflict" },
    );
  }

  put(lease: LeaseObject): LeaseAnswer {
    this.onWrite();
    const resourceVersion = `${Number(this.lease?.metadata.resourceVersion ?? 0) + 1}`;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion } };
    return { kind: "written", lease: this.lease };
  }

  async #reply(call: string, signal: AbortSignal, act: () => LeaseAnswer): Promise<LeaseAnswer> {
    this.calls.push(call);
    if (this.mode === "broken") throw new Error("a bug");
    if (this.mode !== "hanging") {
      const answer = act();
      if (this.mode === "answering") return answer;
    }
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  }
}

function begin(shelf = new Shelf(), clock = new VirtualClock()) {
  const fence = new WriteFence({ clock, deadlineMs: defaultLeaseDurations.renewDeadlineMs });
  const reported: string[] = [];
  fence.subscribe((isOpen) => reported.push(isOpen ? "leads" : "does not lead"));
  const observer = {
    heldBy: (identity: string) => reported.push(`held by ${identity || "none"}`),
    failing: (message: string) => reported.push(`failing: ${message}`),
    recovered: () => reported.push("recovered"),
  };
  const stop = new AbortController();
  const ended = runLeaderElection({ api: shelf, clock, fence, elector: me, observer }, stop.signal);
  const leave = async () => {
    stop.abort();
    await clock.advance(0);
    await ended;
  };
  return { shelf, clock, fence, reported, stop, ended, leave };
}

test("the creator of the lease leads and renews every two seconds", async () => {
  const { shelf, clock, reported, leave } = begin();
  await clock.advance(4_500);
  expect(reported).toEqual(["does not lead", "held by me", "leads"]);
  expect(shelf.calls).toEqual(["read", "create", 'update to "me"', 'update to "me"']);
  await leave();
});

test("closes the fence before it releases the lease", async () => {
  const { shelf, clock, fence, leave } = begin();
  await clock.advance(0);
  const mayWrite: boolean[] = [];
  shelf.onWrite = () => mayWrite.push(fence.mayWrite());
  await leave();
  expect(mayWrite).toEqual([false]);
  expect(shelf.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  expect(clock.scheduled).toBe(0);
});

test("a follower leaves without a write", async () => {
  const shelf = new Shelf();
  shelf.put(newLease(other, 0));
  const { clock, reported, leave } = begin(shelf);
  await clock.advance(3_000);
  await leave();
  expect(reported).toEqual(["does not lead", "held by other"]);
  expect(shelf.calls).toEqual(["read", "read"]);
});

test("closes the fence ten seconds after the last renewal in an outage", async () => {
  const { shelf, clock, fence, reported, leave } = begin();
  await clock.advance(1_000);
  shelf.mode = "hanging"; // the last successful renewal was sent at 0
  await clock.advance(8_999);
  expect(fence.mayWrite()).toBe(true);
  await clock.advance(1);
  expect(fence.mayWrite()).toBe(false);
  await clock.advance(120_000);
  shelf.mode = "answering";
  await clock.advance(7_000);
  expect(fence.mayWrite()).toBe(true);
  expect(reported).toEqual([
    "does not lead",
    "held by me",
    "leads",
    "failing: no response in time",
    "does not lead",
    "recovered",
    "leads",
  ]);
  expect(shelf.lease?.spec?.leaseTransitions).toBe(0);
  await leave();
});

test("a renewal counts from its request", async () => {
  const { shelf, clock, fence, leave } = begin();
  await clock.advance(1_000);
  const slow = shelf.update.bind(shelf);
  shelf.update = async (lease, signal) => {
    const answer = await slow(lease, signal);
    await new Promise<void>((resolve) => {
      clock.schedule(4_000, resolve);
    });
    return answer;
  };
  await clock.advance(2_000); // sent at 2 s, answered at 6 s
  shelf.mode = "hanging";
  await clock.advance(8_999);
  expect(fence.mayWrite()).toBe(true);
  await clock.advance(1);
  expect(fence.mayWrite()).toBe(false);
  shelf.update = slow;
  shelf.mode = "answering";
  await clock.advance(10_000);
  await leave();
});

test("recovers from a lost answer without another transition", async () => {
  const { shelf, clock, reported, leave } = begin();
  await clock.advance(1_000);
  shelf.mode = "losing answers";
  await clock.advance(3_000);
  shelf.mode = "answering";
  await clock.advance(4_000);
  expect(shelf.calls.slice(2)).toEqual(['update to "me"', 'update to "me"', "read", 'update to "me"']);
  expect(reported.slice(2)).toEqual(["leads", "failing: no response in time", "recovered"]);
  await leave();
});

test("releases the lease despite a pending renewal", async () => {
  const { shelf, clock, stop, ended } = begin();
  await clock.advance(1_000);
  shelf.mode = "losing answers";
  await clock.advance(2_000);
  shelf.mode = "answering";
  stop.abort();
  await clock.advance(0);
  await ended;
  expect(shelf.lease?.spec?.holderIdentity).toBe("");
});

test("waits for the release at most half the deadline", async () => {
  const { shelf, clock, stop, ended } = begin();
  await clock.advance(0);
  shelf.mode = "hanging";
  stop.abort();
  await clock.advance(5_000);
  await ended;
  expect(clock.scheduled).toBe(0);
});

test("losing one lease does not affect another one", async () => {
  const clock = new VirtualClock();
  const [advisor, platform] = [begin(new Shelf(), clock), begin(new Shelf(), clock)];
  await clock.advance(1_000);
  advisor.shelf.put({ ...newLease(other, 0), metadata: { ...me, resourceVersion: "9" } });
  await clock.advance(2_000);
  expect([advisor.fence.mayWrite(), platform.fence.mayWrite()]).toEqual([false, true]);
  await clock.advance(60_000);
  expect([advisor.fence.mayWrite(), platform.fence.mayWrite()]).toEqual([true, true]); // a third process never renewed its lease
  await Promise.all([advisor.leave(), platform.leave()]);
});

test("an exception closes the fence and is thrown", async () => {
  const { shelf, clock, fence, ended } = begin();
  await clock.advance(0);
  shelf.mode = "broken";
  const caught = ended.catch(String);
  await clock.advance(3_000);
  expect(await caught).toBe("Error: a bug");
  expect(fence.mayWrite()).toBe(false);
});

test.each([
  { durationSeconds: 10, retryMs: 2_000 },
  { durationSeconds: 15.5, retryMs: 2_000 },
  { durationSeconds: 15, retryMs: 10_000 },
])("rejects invalid times: %o", async (times) => {
  const clock = new VirtualClock();
  const fence = new WriteFence({ clock, deadlineMs: 10_000 });
  const observer = { heldBy: () => undefined, failing: () => undefined, recovered: () => undefined };
  const parts = { api: new Shelf(), clock, fence, elector: { ...me, ...times }, observer };
  await expect(runLeaderElection(parts, new AbortController().signal)).rejects.toThrow(
    "the lease duration must be whole seconds",
  );
  expect(clock.scheduled).toBe(0);
});
