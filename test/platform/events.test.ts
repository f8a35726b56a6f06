import { expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { denyPlatformUpdates } from "../support/deny-platform-updates.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform();

const expectReported = (...notes: readonly string[]) =>
  platform.until(async () => {
    const reports = (await platform.outputs.events()).map(({ reason, note }) => `${reason}: ${note}`);
    expect(reports).toEqual(expect.arrayContaining([...notes]));
  });
/** Counts log lines, because the count of an event series is delayed. */
const timesLogged = (reason: string, object: string) =>
  platform.operator.log.filter((line) => line["reason"] === reason && line["object"] === object).length;

const { check: checkPath, metallb, plugin } = objectPaths;
const check = "NodeHealthCheck virt-node-health-check";
const checkKey = "NodeHealthCheck//virt-node-health-check";
const minHealthy = () => platform.specOf(checkPath, "minHealthy");

test("every event is named after the operator and identifies its object", async () => {
  await expectReported(
    `AssetApplied: Applied asset node-health-check: ${check}`,
    "AssetApplied: Applied asset kubelet-cpu-manager,kubelet-perf-settings,numa-topology: KubeletConfig virt-perf-settings; 1 node of pool worker will reboot",
  );
  const events = await platform.outputs.events();
  const strange = events.filter(({ name }) => !/^virt-platform-operator\.[0-9a-f]{16}$/.test(name));
  expect(strange).toEqual([]);
  expect(events.map(({ action }) => action)).toContain(`AssetApplied ${checkKey}`);
});

test("reports drift with its fields and author, and then its correction", async () => {
  await platform.edit(checkPath, { spec: { minHealthy: "10%" } });
  await expectReported(
    `DriftDetected: Drift detected for ${check}: /spec/minHealthy ("51%" → "10%") changed by "kubectl-edit" (Update)`,
    `DriftCorrected: Corrected drift for ${check}`,
  );
});

test("reports drift of a blocked object once until the patch is fixed", async () => {
  await platform.annotate(checkPath, { patch: "[{" });
  await platform.until(async () => expect(timesLogged("InvalidPatch", checkKey)).toBe(1));
  const before = timesLogged("DriftDetected", checkKey);
  const corrected = timesLogged("DriftCorrected", checkKey);
  await platform.edit(checkPath, { spec: { minHealthy: "20%" } }, "gitops");
  await expectReported(
    `DriftDetected: Drift detected for ${check}: /spec/minHealthy ("51%" → "20%") changed by "gitops" (Update)`,
  );
  await platform.edit(checkPath, { metadata: { labels: { note: "theirs" } } }, "gitops");
  expect(await minHealthy()).toBe("20%");
  await platform.annotate(checkPath, { patch: null });
  await platform.until(async () => expect(await minHealthy()).toBe("51%"));
  await expect.poll(() => timesLogged("DriftCorrected", checkKey)).toBe(corrected + 1);
  expect(timesLogged("DriftDetected", checkKey)).toBe(before + 1);
  expect(timesLogged("InvalidPatch", checkKey)).toBe(1);
});

test("reports drift even after many invalid overrides on the object", async () => {
  for (let at = 0; at < 30; at++) {
    const before = timesLogged("InvalidMode", checkKey);
    await platform.annotate(checkPath, { mode: `nonsense-${at}` });
    await platform.until(async () => expect(timesLogged("InvalidMode", checkKey)).toBe(before + 1));
  }
  await platform.annotate(checkPath, { mode: null });
  await platform.edit(checkPath, { spec: { minHealthy: "30%" } }, "intruder");
  await platform.until(async () => {
    const notes = (await platform.outputs.events())
      .filter(({ reason }) => reason === "DriftDetected")
      .map(({ note }) => note);
    expect(notes.join("\n")).toContain("intruder");
  });
  await platform.until(async () => expect(await minHealthy()).toBe("51%"));
});

test("reports an unmanaged object", async () => {
  await platform.annotate(plugin, { mode: "unmanaged" });
  await expectReported(
    "UnmanagedMode: UIPlugin monitoring is unmanaged (annotation platform.kubevirt.io/mode): the operator does not write to it. To manage it again, run kubectl annotate uiplugin monitoring platform.kubevirt.io/mode-",
  );
  await platform.annotate(plugin, { mode: null });
});

test("reports throttled writes once per burst", {
  timeout: 300_000,
  tags: ["thorough"],
}, async () => {
  const object = "MetalLB/metallb-system/metallb";
  const label = async () => (await platform.read(metallb)).metadata.labels?.["burst"];
  let writes = 0;
  const writeAgain = async () => {
    const value = `${writes++}`;
    await platform.annotate(metallb, { patch: JSON.stringify([{ op: "add", path: "/metadata/labels/burst", value }]) });
    await platform.until(async () => expect(await label()).toBe(value));
  };
  // On a slow machine the rate limiter regains tokens meanwhile, so that it takes more writes.
  while (timesLogged("Throttled", object) === 0) await writeAgain();
  for (let more = 0; more < 3; more++) await writeAgain();
  await expectReported(`Throttled: Update throttled for MetalLB metallb-system/metallb (limit: 10 updates per 1m0s)`);
  expect(timesLogged("Throttled", object)).toBe(1);
});

test("reports a lasting refusal once, in the server's words", async () => {
  await applyManifests(
    platform.testCluster.server,
    denyPlatformUpdates({ group: "observability.openshift.io", resource: "uiplugins" }),
  );
  const isOff = async () => (await platform.specOf(plugin, "monitoring", "perses", "enabled")) === false;
  // A new policy takes effect after a delay. Until then the operator corrects the edit.
  await platform.until(async () => {
    if (!(await isOff())) await platform.edit(plugin, { spec: { monitoring: { perses: { enabled: false } } } }, "they");
    expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
  });
  await expectReported(
    `ApplyFailed: Failed to apply asset observability-operator to UIPlugin monitoring: uiplugins.observability.openshift.io "monitoring" is forbidden: ValidatingAdmissionPolicy 'hands-off' with binding 'hands-off' denied request: hands off`,
  );
  await platform.until(async () =>
    expect(await platform.outputs.series('compliance_status{kind="UIPlugin",name="monitoring"')).toEqual([expect.stringMatching(/ 0$/)]),
  );
  await platform.until(async () => expect(await platform.outputs.isIdle()).toBe(true));
  const reconciles = () => platform.outputs.series("reconcile_duration_seconds_count{", 'kind="UIPlugin"');
  const reconciled = await reconciles();
  await platform.edit(plugin, { metadata: { labels: { note: "theirs" } } }, "they");
  await platform.until(async () => expect(await reconciles()).not.toEqual(reconciled));
  expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
});
