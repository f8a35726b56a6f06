import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { denyPlatformUpdates } from "../support/deny-platform-updates.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

let fullCluster: FullCluster;
let outputs: OperatorOutputs;
let operator: RunningProgram;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  operator = await outputs.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const pathOf = (kind: string) => fullCluster.targets.find(({ ref }) => ref.kind === kind)?.path ?? "";
const annotate = (path: string, key: keyof typeof objectAnnotations, text: string | null) =>
  fullCluster.edit(path, { metadata: { annotations: { [objectAnnotations[key]]: text } } }, "person");
const expectReported = (...notes: readonly string[]) =>
  fullCluster.until(async () => {
    const reports = (await outputs.events()).map(({ reason, note }) => `${reason}: ${note}`);
    expect(reports).toEqual(expect.arrayContaining([...notes]));
  });
/** Counts log lines, because the count of an event series is delayed. */
const timesLogged = (reason: string, object: string) =>
  operator.log.filter((line) => line["reason"] === reason && line["object"] === object).length;

const check = "NodeHealthCheck virt-node-health-check";
const checkKey = "NodeHealthCheck//virt-node-health-check";
const minHealthy = async () => at(await fullCluster.read(pathOf("NodeHealthCheck")), "spec", "minHealthy");

test("every event is named after the operator and identifies its object", async () => {
  await expectReported(
    `AssetApplied: Applied asset node-health-check: ${check}`,
    "AssetApplied: Applied asset kubelet-cpu-manager,kubelet-perf-settings,numa-topology: KubeletConfig virt-perf-settings; 1 node of pool worker will reboot",
  );
  const events = await outputs.events();
  const strange = events.filter(({ name }) => !/^virt-platform-operator\.[0-9a-f]{16}$/.test(name));
  expect(strange).toEqual([]);
  expect(events.map(({ action }) => action)).toContain(`AssetApplied ${checkKey}`);
});

test("reports drift with its fields and author, and then its correction", async () => {
  await fullCluster.edit(pathOf("NodeHealthCheck"), { spec: { minHealthy: "10%" } });
  await expectReported(
    `DriftDetected: Drift detected for ${check}: /spec/minHealthy ("51%" → "10%") changed by "kubectl-edit" (Update)`,
    `DriftCorrected: Corrected drift for ${check}`,
  );
});

test("reports drift of a blocked object once until the patch is fixed", async () => {
  const path = pathOf("NodeHealthCheck");
  await annotate(path, "patch", "[{");
  await fullCluster.until(async () => expect(timesLogged("InvalidPatch", checkKey)).toBe(1));
  const before = timesLogged("DriftDetected", checkKey);
  const corrected = timesLogged("DriftCorrected", checkKey);
  await fullCluster.edit(path, { spec: { minHealthy: "20%" } }, "somebody");
  await expectReported(
    `DriftDetected: Drift detected for ${check}: /spec/minHealthy ("51%" → "20%") changed by "somebody" (Update)`,
  );
  await fullCluster.edit(path, { metadata: { labels: { note: "theirs" } } }, "somebody");
  expect(await minHealthy()).toBe("20%");
  await annotate(path, "patch", null);
  await fullCluster.until(async () => expect(await minHealthy()).toBe("51%"));
  await expect.poll(() => timesLogged("DriftCorrected", checkKey)).toBe(corrected + 1);
  expect(timesLogged("DriftDetected", checkKey)).toBe(before + 1);
  expect(timesLogged("InvalidPatch", checkKey)).toBe(1);
});

test("reports drift even after many invalid overrides on the object", async () => {
  const path = pathOf("NodeHealthCheck");
  for (let at = 0; at < 30; at++) {
    const before = timesLogged("InvalidMode", checkKey);
    await annotate(path, "mode", `nonsense-${at}`);
    await fullCluster.until(async () => expect(timesLogged("InvalidMode", checkKey)).toBe(before + 1));
  }
  await annotate(path, "mode", null);
  await fullCluster.edit(path, { spec: { minHealthy: "30%" } }, "intruder");
  await fullCluster.until(async () => {
    const notes = (await outputs.events()).filter(({ reason }) => reason === "DriftDetected").map(({ note }) => note);
    expect(notes.join("\n")).toContain("intruder");
  });
  await fullCluster.until(async () => expect(await minHealthy()).toBe("51%"));
});

test("reports an unmanaged object", async () => {
  await annotate(pathOf("UIPlugin"), "mode", "unmanaged");
  await expectReported(
    "UnmanagedMode: UIPlugin monitoring is unmanaged (annotation platform.kubevirt.io/mode): the operator does not write to it. To manage it again, run kubectl annotate uiplugin monitoring platform.kubevirt.io/mode-",
  );
  await annotate(pathOf("UIPlugin"), "mode", null);
});

test("reports throttled writes once per burst", {
  timeout: 300_000,
  tags: ["thorough"],
}, async () => {
  const path = pathOf("MetalLB");
  const object = "MetalLB/metallb-system/metallb";
  const label = async () => (await fullCluster.read(path)).metadata.labels?.["burst"];
  let writes = 0;
  const writeAgain = async () => {
    const value = `${writes++}`;
    await annotate(path, "patch", JSON.stringify([{ op: "add", path: "/metadata/labels/burst", value }]));
    await fullCluster.until(async () => expect(await label()).toBe(value));
  };
  // On a slow machine the rate limiter regains tokens meanwhile, so that it takes more writes.
  while (timesLogged("Throttled", object) === 0) await writeAgain();
  for (let more = 0; more < 3; more++) await writeAgain();
  await expectReported(`Throttled: Update throttled for MetalLB metallb-system/metallb (limit: 10 updates per 1m0s)`);
  expect(timesLogged("Throttled", object)).toBe(1);
});

test("reports a lasting refusal once, in the server's words", async () => {
  const path = pathOf("UIPlugin");
  await applyManifests(
    fullCluster.testCluster.server,
    denyPlatformUpdates({ group: "observability.openshift.io", resource: "uiplugins" }),
  );
  const isOff = async () => at(await fullCluster.read(path), "spec", "monitoring", "perses", "enabled") === false;
  // A new policy takes effect after a delay. Until then the operator corrects the edit.
  await fullCluster.until(async () => {
    if (!(await isOff()))
      await fullCluster.edit(path, { spec: { monitoring: { perses: { enabled: false } } } }, "they");
    expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
  });
  await expectReported(
    `ApplyFailed: Failed to apply asset observability-operator to UIPlugin monitoring: uiplugins.observability.openshift.io "monitoring" is forbidden: ValidatingAdmissionPolicy 'hands-off' with binding 'hands-off' denied request: hands off`,
  );
  await fullCluster.until(async () =>
    expect(await outputs.series('compliance_status{kind="UIPlugin"')).toEqual([expect.stringMatching(/ 0$/)]),
  );
  await fullCluster.until(async () => expect(await outputs.isIdle()).toBe(true));
  const reconciles = () => outputs.series("reconcile_duration_seconds_count{", 'kind="UIPlugin"');
  const reconciled = await reconciles();
  await fullCluster.edit(path, { metadata: { labels: { note: "theirs" } } }, "they");
  await fullCluster.until(async () => expect(await reconciles()).not.toEqual(reconciled));
  expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
});
