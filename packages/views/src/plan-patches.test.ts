import { readRejection } from "@virt/advisor";
import { decisionAnnotation, rejectedPlanAnnotation, type Spec, type Status, type VirtPlatformConfig } from "@virt/api";
import { applyPatch, type JsonMap } from "@virt/objects";
import { expect, test } from "vitest";
import {
  approvalAttempts,
  approvalPatches,
  type ConfigOperation,
  type ConfigPatch,
  keptOptionsText,
  planPatches,
  rejectionPatch,
  rejectionText,
} from "./plan-patches.ts";

const [shown, other] = ["a".repeat(64), "b".repeat(64)];

const config = (
  spec: Partial<Spec> = {},
  status: Status = { phase: "ReviewRequired", planHash: shown },
  annotations?: Record<string, string>,
): VirtPlatformConfig => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "x", resourceVersion: "7", ...(annotations && { annotations }) },
  spec: { profile: "x", action: "DryRun", failurePolicy: "Abort", bypassOptimisticLock: false, ...spec },
  status,
});

const by = { user: "jane", time: "2026-01-01T00:00:00Z", client: "virt-console" };
const record = (decision: "approved" | "rejected") => JSON.stringify({ decision, plan: shown, ...by, verified: false });

const patched = (before: VirtPlatformConfig, patch: unknown) =>
  applyPatch(before as unknown as JsonMap as never, JSON.stringify(patch));

test("ignoring a profile lists the options that stay set", () => {
  const options = { loadAware: { mode: "Predictive", deschedulingIntervalSeconds: 120 } };
  expect(keptOptionsText(config({ options }))).toBe(
    'These options stay set and apply to the next plan: mode="Predictive", deschedulingIntervalSeconds=120',
  );
  expect(keptOptionsText(config())).toBeUndefined();
});

test("approving a named plan again first sets DryRun", () => {
  const [first, second, ...more] = approvalPatches(config({ action: "Apply", approvedPlan: shown }), shown);
  expect(more).toEqual([]);
  expect(first?.body).toContainEqual({ op: "add", path: "/spec/action", value: "DryRun" });
  expect(second?.body).toContainEqual({ op: "add", path: "/spec/action", value: "Apply" });
  for (const patch of [first, second])
    expect(patch?.body).toContainEqual({ op: "test", path: "/status/planHash", value: shown });
  expect(approvalPatches(config({ action: "Apply", approvedPlan: other }), shown)).toHaveLength(1);
});

test("a rejection stores the plan and the reason, with or without annotations", () => {
  const first = rejectionPatch(config(), shown, { reason: "not before\nFriday", by });
  expect(first.body).toContainEqual({ op: "test", path: "/metadata/resourceVersion", value: "7" });
  expect(first.body).toContainEqual({
    op: "add",
    path: "/metadata/annotations",
    value: { [rejectedPlanAnnotation]: `${shown} not before Friday`, [decisionAnnotation]: record("rejected") },
  });
  const second = rejectionPatch(config({}, {}, { a: "b" }), shown, { reason: "", by });
  expect(second.body).toContainEqual({
    op: "add",
    path: "/metadata/annotations/advisor.kubevirt.io~1rejected-plan",
    value: shown,
  });
  expect(patched(config(), [{ op: "test", path: "/status/planHash", value: other }]).kind).not.toBe("patched");
});

test("a rejection counts only for its plan", () => {
  const annotated = (text: string, planHash: string) =>
    readRejection(config({}, { planHash }, { [rejectedPlanAnnotation]: text }));
  expect(annotated(`${shown} too risky`, shown)).toEqual({
    planHash: shown,
    reason: "too risky",
    user: "",
    time: "",
  });
  expect(annotated(shown, shown)).toMatchObject({ planHash: shown, reason: "" });
  expect(annotated(`${shown} too risky`, other)).toBeUndefined();
  expect(annotated("nonsense", shown)).toBeUndefined();
});

/** Applies the patches as the API server would. Supports members of maps only. */
function afterPatches(before: VirtPlatformConfig, patches: readonly ConfigPatch[]): VirtPlatformConfig {
  const after = structuredClone(before) as unknown as Record<string, unknown>;
  for (const operation of patches.flatMap(({ body }) => body as readonly ConfigOperation[])) {
    const keys = operation.path.split("/").slice(1);
    const last = (keys.pop() ?? "").replaceAll("~1", "/");
    const parent = keys.reduce((map, key) => map[key] as Record<string, unknown>, after);
    if (operation.op === "test" && parent[last] !== operation.value) throw new Error(`${operation.path} differs`);
    if (operation.op === "test") continue;
    if (operation.op === "remove") delete parent[last];
    else parent[last] = operation.value;
  }
  return after as unknown as VirtPlatformConfig;
}

test("a later approval ends the rejection", () => {
  const before = config({}, undefined, { a: "b" });
  const rejectedPlan = afterPatches(before, [rejectionPatch(before, shown, { reason: "too risky", by })]);
  const rejection = readRejection(rejectedPlan);
  expect(rejection && rejectionText(rejection)).toBe("by jane (not verified) at 2026-01-01T00:00:00Z: too risky");
  const approved = afterPatches(rejectedPlan, approvalPatches(rejectedPlan, shown, by));
  expect(readRejection(approved)).toBeUndefined();
  expect(approved.metadata.annotations).toEqual({ a: "b", [decisionAnnotation]: record("approved") });
  expect(readRejection({ ...approved, spec: { ...approved.spec, action: "DryRun" } })).toBeUndefined();
  const byKubectl = { ...rejectedPlan, spec: { ...rejectedPlan.spec, action: "Apply" } } as const;
  expect(readRejection(byKubectl)).toBeUndefined();
});

test("also approves without a record if the config has no annotations", () => {
  expect(approvalAttempts(config({}, undefined, { a: "b" }), shown, by)).toHaveLength(1);
  const [recorded, plain] = approvalAttempts(config(), shown, by);
  expect(recorded?.[0]?.body).toContainEqual({ op: "test", path: "/metadata/resourceVersion", value: "7" });
  expect(plain).toEqual(approvalPatches(config(), shown));
});

const asks: readonly { reason: string; before: VirtPlatformConfig; options?: Spec["options"]; sent: number }[] = [
  { reason: "the shown plan stays if nothing changes", before: config(), sent: 0 },
  { reason: "an Ignore becomes a DryRun", before: config({ action: "Ignore" }), sent: 1 },
  { reason: "an approval is withdrawn", before: config({ approvedPlan: shown }), sent: 1 },
  {
    reason: "other options make another plan",
    before: config(),
    options: { loadAware: { mode: "Predictive" } },
    sent: 1,
  },
  { reason: "a failed plan requires two changes of the spec", before: config({}, { phase: "Failed" }), sent: 2 },
];

test.each(asks)("requesting a plan: $reason", ({ before, options, sent }) => {
  expect(planPatches(before, options)).toHaveLength(sent);
});
