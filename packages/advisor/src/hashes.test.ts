import type { Item, KubeObject } from "@virt/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isStale, planHash, reviewedNow, snapshotHash, specHash } from "./hashes.ts";
import { descheduler, psi, spec } from "./observed-world.ts";

const live: KubeObject = {
  ...descheduler().targetRef,
  metadata: { name: "cluster", uid: "u1", resourceVersion: "5", labels: { a: "b" } },
  spec: { mode: "Automatic", profiles: ["x"] },
  status: { seen: 1 },
};
const item: Item = descheduler({ reviewed: reviewedNow(descheduler(), live) });
const changed = (change: object): KubeObject => ({ ...live, ...change });

test("12: the snapshot of load-aware with both targets absent", () => {
  const items = [psi(), descheduler()].map((one) => ({ ...one, live: undefined }));
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
    const absent = descheduler({ reviewed: reviewedNow(descheduler(), undefined) });
    expect(absent.reviewed).toMatchObject({ uid: "", resourceVersion: "" });
    expect(isStale(absent, undefined)).toBe(false);
    expect(isStale(absent, live)).toBe(true);
  });
});

describe("5.6: planHash", () => {
  const hash = (given: Partial<Item> = {}, object: KubeObject | undefined = live) =>
    planHash("load-aware-rebalancing", [{ ...descheduler(given), live: object }]);

  test("names what is desired, and what it was drafted against", () => {
    const hashes = [
      hash(),
      hash({ name: "other" }),
      hash({ operation: "Delete" }),
      hash({ managedFields: ["spec.mode", "spec.profiles"] }),
      hash({ targetRef: psi().targetRef }),
      hash({ desiredState: { ...live, spec: { mode: "Predictive" } } }),
      hash({}, changed({ spec: { mode: "Predictive" } })),
      planHash("other", [{ ...descheduler(), live }]),
      planHash("load-aware-rebalancing", []),
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

  test("of an item without desired state is that of null", () => {
    const { desiredState: _desired, ...bare } = descheduler();
    const removed = planHash("p", [{ ...bare, operation: "Delete", live }]);
    expect(removed).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("1.4: action and approval never change the hash of a spec, everything else does", () => {
  const action = fc.constantFrom("DryRun", "Apply", "Ignore");
  const law = fc.property(action, fc.constantFrom({}, { approvedPlan: "a" }), (action, approval) => {
    return specHash(spec({ action, ...approval })) === specHash(spec());
  });
  fc.assert(law, { numRuns: 50 });
  const edits = [
    { failurePolicy: "Continue" },
    { bypassOptimisticLock: true },
    { waitTimeout: "1h" },
    { options: { loadAware: {} } },
  ] as const;
  expect(new Set([spec(), ...edits.map((edit) => spec(edit))].map(specHash)).size).toBe(edits.length + 1);
});
