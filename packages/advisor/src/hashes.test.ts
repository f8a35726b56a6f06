import type { DisruptionClass, Item, KubeObject, PoolDisruption, Spec } from "@virt/api";
import { digest, targetKey } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashOrigin, isStale, planHash, reviewedNow, snapshotHash, specHash } from "./hashes.ts";
import { deschedulerItem, psi, spec } from "./testing/observed-fixtures.ts";

const live: KubeObject = {
  ...deschedulerItem().targetRef,
  metadata: { name: "cluster", uid: "u1", resourceVersion: "5", labels: { a: "b" } },
  spec: { mode: "Automatic", profiles: ["x"] },
  status: { seen: 1 },
};
const item: Item = deschedulerItem({ reviewed: reviewedNow(deschedulerItem(), live) });
const changed = (change: object): KubeObject => ({ ...live, ...change });

test("12: the snapshot of load-aware with both targets absent", () => {
  const items = [psi(), deschedulerItem()].map((one) => ({ ...one, live: undefined }));
  expect(snapshotHash(items)).toBe("8046b8bc3127298de872e1ee226b6464d73a52449bc71d34910bc97914434037");
});

describe("5.5: a target is stale", () => {
  const rows: readonly (readonly [string, KubeObject | undefined, boolean])[] = [
    ["not as it was reviewed", live, false],
    ["when a managed field changed", changed({ spec: { mode: "Predictive" } }), true],
    ["when it was made anew", changed({ metadata: { ...live.metadata, uid: "u2" } }), true],
    ["when it is gone", undefined, true],
    ["not by its version alone", changed({ metadata: { ...live.metadata, resourceVersion: "6" } }), false],
    ["not by its status", changed({ status: { seen: 2 } }), false],
    ["not by a field of others", changed({ spec: { mode: "Automatic", profiles: ["y"] } }), false],
    ["not by a label", changed({ metadata: { ...live.metadata, labels: {} } }), false],
  ];
  test.each(rows)("%s", (_reason, now, stale) => {
    expect(isStale(item, now)).toBe(stale);
  });

  test("when it was never reviewed", () => {
    const { reviewed: _reviewed, ...unseen } = item;
    expect(isStale(unseen, live)).toBe(true);
  });

  test("when one appears where none was reviewed", () => {
    const absent = deschedulerItem({ reviewed: reviewedNow(deschedulerItem(), undefined) });
    expect(absent.reviewed).toMatchObject({ uid: "", resourceVersion: "" });
    expect(isStale(absent, undefined)).toBe(false);
    expect(isStale(absent, live)).toBe(true);
  });
});

describe("5.6: planHash", () => {
  const hash = (given: Partial<Item> = {}, object: KubeObject | undefined = live) =>
    planHash(spec({ profile: "load-aware-rebalancing" }), [
      { ...deschedulerItem(given), sourceHash: reviewedNow(deschedulerItem(given), object).hash },
    ]);

  test("names what is desired, and what it was drafted against", () => {
    const hashes = [
      hash(),
      hash({ name: "other" }),
      hash({ operation: "Delete" }),
      hash({ managedFields: ["spec.mode", "spec.profiles"] }),
      hash({ targetRef: psi().targetRef }),
      hash({ desiredState: { ...live, spec: { mode: "Predictive" } } }),
      hash({}, changed({ spec: { mode: "Predictive" } })),
      planHash(spec({ profile: "other" }), [
        { ...deschedulerItem(), sourceHash: reviewedNow(deschedulerItem(), live).hash },
      ]),
      planHash(spec({ profile: "load-aware-rebalancing" }), []),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("depends on nothing else", () => {
    const conflicts = [{ field: "spec.mode", manager: "a", operation: "Apply" }] as const;
    expect(hash({ impactSeverity: "High", message: "m", diff: "d", state: "Failed", conflicts, warnings: ["w"] })).toBe(
      hash(),
    );
    expect(hash({}, changed({ status: {}, metadata: { name: "cluster", uid: "u9" } }))).toBe(hash());
  });

  test("names the pools that the plan disturbs and how, in any order; none is as if they did not count", () => {
    const items = [deschedulerItem()];
    const of = (...disruption: readonly PoolDisruption[]) => planHash(spec({ profile: "p" }), items, disruption);
    const worker = { pool: "worker", class: "Reboot" } as const;
    const infra = { pool: "infra", class: "Reboot" } as const;
    expect(of()).toBe(planHash(spec({ profile: "p" }), items));
    expect(of(infra, worker)).toBe(of(worker, infra));
    const hashes = [of(), of(worker), of(infra), of(worker, infra), of({ ...worker, class: "Drain" })];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("covers guards, bypassOptimisticLock, failurePolicy and waitTimeout", () => {
    const edits: readonly Partial<Spec>[] = [
      {},
      { guards: { maxBlockingVMs: 0 } },
      { guards: { maxNodes: 3 } },
      { bypassOptimisticLock: true },
      { failurePolicy: "Continue" },
      { waitTimeout: "1h" },
    ];
    const hashes = edits.map((edit) => planHash(spec(edit), [deschedulerItem()]));
    expect(new Set(hashes).size).toBe(edits.length);
    expect(planHash(spec({ guards: {} }), [deschedulerItem()])).toBe(hashes[0]);
    expect(planHash(spec({ action: "Apply", approvedPlan: "a" }), [deschedulerItem()])).toBe(hashes[0]);
  });

  test("is made of this canonical JSON", () => {
    const { name, operation, targetRef, managedFields = [], desiredState = null } = deschedulerItem();
    const hashed = { desired: desiredState, managedFields, name, operation, source: "s", target: targetKey(targetRef) };
    const content = { disruption: [{ class: "Reboot", pool: "worker" }], items: [hashed], profile: "p" };
    const execution = { bypassOptimisticLock: false, failurePolicy: "Abort", guards: {}, waitTimeout: "" };
    const items = [deschedulerItem({ sourceHash: "s" })];
    const pools = [{ pool: "worker", class: "Reboot" }] as const;
    const asked = spec({ profile: "p" });
    expect(planHash(asked, items, pools)).toBe(digest({ ...content, execution, version: 3 }));
    expect(hashOrigin(digest({ ...content, execution, version: 3 }), asked, items, pools).kind).toBe("current");
    expect(hashOrigin(digest({ ...content, version: 2 }), asked, items, pools).kind).toBe("earlier");
    expect(hashOrigin(digest({ items: [hashed], profile: "p", version: 2 }), asked, items, pools).kind).toBe("earlier");
    expect(hashOrigin("0".repeat(64), asked, items, pools).kind).toBe("unknown");
  });

  test("changes if and only if the items, the disturbed pools or the execution settings do", () => {
    const classes = fc.constantFrom<DisruptionClass[]>("Reboot", "Drain", "Reload");
    const anyDisruption = fc.uniqueArray(fc.record({ pool: fc.constantFrom("a", "b", "c"), class: classes }), {
      selector: ({ pool }) => pool,
    });
    const anyItems = fc.array(
      fc.constantFrom("x", "y").map((mark) => deschedulerItem({ sourceHash: mark })),
      {
        maxLength: 2,
      },
    );
    const anySpec = fc.constantFrom<Partial<Spec>[]>({}, { waitTimeout: "1h" }, { guards: { maxNodes: 1 } });
    const anyPlan = fc.record({ items: anyItems, disruption: anyDisruption, asked: anySpec });
    type AnyPlan = { items: readonly Item[]; disruption: readonly PoolDisruption[]; asked: Partial<Spec> };
    const content = ({ items, disruption, asked }: AnyPlan) =>
      JSON.stringify([
        asked,
        items.map(({ sourceHash }) => sourceHash),
        disruption.map((one) => `${one.pool} ${one.class}`).toSorted(),
      ]);
    const law = fc.property(anyPlan, anyPlan, (one, other) => {
      const hashOf = ({ items, disruption, asked }: AnyPlan) => planHash(spec(asked), items, disruption);
      const isSame = hashOf(one) === hashOf(other);
      return isSame === (content(one) === content(other));
    });
    fc.assert(law, runsForCost(4));
  });

  test("of an item without desired state is that of null", () => {
    const { desiredState: _desired, ...bare } = deschedulerItem();
    const removed = planHash(spec({ profile: "p" }), [{ ...bare, operation: "Delete" }]);
    expect(removed).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("1.4: action and approval never change the hash of a spec, everything else does", () => {
  const action = fc.constantFrom("DryRun", "Apply", "Ignore");
  const law = fc.property(action, fc.constantFrom({}, { approvedPlan: "a" }), (action, approval) => {
    return specHash(spec({ action, ...approval })) === specHash(spec());
  });
  fc.assert(law, runsForCost(400));
  const edits = [
    { failurePolicy: "Continue" },
    { bypassOptimisticLock: true },
    { waitTimeout: "1h" },
    { options: { loadAware: {} } },
  ] as const;
  expect(new Set([spec(), ...edits.map((edit) => spec(edit))].map(specHash)).size).toBe(edits.length + 1);
});
