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

test("the snapshot of absent load-aware targets has the specified hash", () => {
  const items = [psi(), deschedulerItem()].map((one) => ({ ...one, live: undefined }));
  expect(snapshotHash(items)).toBe("8046b8bc3127298de872e1ee226b6464d73a52449bc71d34910bc97914434037");
});

describe("a target", () => {
  const rows: readonly (readonly [string, KubeObject | undefined, boolean])[] = [
    ["is not stale as it was reviewed", live, false],
    ["is stale after a managed field changed", changed({ spec: { mode: "Predictive" } }), true],
    ["is stale after it was re-created", changed({ metadata: { ...live.metadata, uid: "u2" } }), true],
    ["is stale after it was deleted", undefined, true],
    [
      "is not stale because of its version alone",
      changed({ metadata: { ...live.metadata, resourceVersion: "6" } }),
      false,
    ],
    ["is not stale because of its status", changed({ status: { seen: 2 } }), false],
    [
      "is not stale because of another client's field",
      changed({ spec: { mode: "Automatic", profiles: ["y"] } }),
      false,
    ],
    ["is not stale because of a label", changed({ metadata: { ...live.metadata, labels: {} } }), false],
  ];
  test.each(rows)("%s", (_reason, now, stale) => {
    expect(isStale(item, now)).toBe(stale);
  });

  test("is stale if it was never reviewed", () => {
    const { reviewed: _reviewed, ...unseen } = item;
    expect(isStale(unseen, live)).toBe(true);
  });

  test("is stale if it was absent in the review and exists now", () => {
    const absent = deschedulerItem({ reviewed: reviewedNow(deschedulerItem(), undefined) });
    expect(absent.reviewed).toMatchObject({ uid: "", resourceVersion: "" });
    expect(isStale(absent, undefined)).toBe(false);
    expect(isStale(absent, live)).toBe(true);
  });
});

describe("the plan hash", () => {
  const hash = (given: Partial<Item> = {}, object: KubeObject | undefined = live) =>
    planHash(spec({ profile: "load-aware-rebalancing" }), [
      { ...deschedulerItem(given), sourceHash: reviewedNow(deschedulerItem(given), object).hash },
    ]);

  test("covers the desired state and the reviewed target", () => {
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

  test("covers the disrupted pools in any order", () => {
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

  test("is computed from this canonical JSON", () => {
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

  test("changes only with items, disrupted pools or execution settings", () => {
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

  test("accepts an item without desired state", () => {
    const { desiredState: _desired, ...bare } = deschedulerItem();
    const removed = planHash(spec({ profile: "p" }), [{ ...bare, operation: "Delete" }]);
    expect(removed).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("the spec hash ignores action and approval, and covers everything else", () => {
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
