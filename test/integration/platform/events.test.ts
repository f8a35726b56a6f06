import { at } from "@virt/engine";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applied } from "../../world/account.ts";
import { handsOff } from "../../world/hands-off.ts";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";
import { openSurface, type Surface } from "./surface.ts";

let golden: Golden;
let surface: Surface;
let operator: RunningProgram;
beforeAll(async () => {
  golden = await startGolden();
  surface = await openSurface(golden);
  operator = await surface.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

const pathOf = (kind: string) => golden.targets.find(({ ref }) => ref.kind === kind)?.path ?? "";
const annotate = (path: string, key: keyof typeof objectAnnotations, text: string | null) =>
  golden.edit(path, { metadata: { annotations: { [objectAnnotations[key]]: text } } }, "person");
const expectTold = (...notes: readonly string[]) =>
  golden.until(async () => {
    const told = (await surface.events()).map(({ reason, note }) => `${reason}: ${note}`);
    expect(told).toEqual(expect.arrayContaining([...notes]));
  });
/** A series of events counts on with a delay, the log does not. */
const timesLogged = (reason: string, object: string) =>
  operator.log.filter((line) => line["reason"] === reason && line["object"] === object).length;

const check = "NodeHealthCheck//virt-node-health-check";
const minHealthy = async () => at(await golden.read(pathOf("NodeHealthCheck")), "spec", "minHealthy");

test("every event has a name of ours, and says which object it is about", async () => {
  await expectTold(
    `AssetApplied: Applied asset node-health-check: ${check}`,
    "AssetApplied: Applied asset kubelet-cpu-manager,kubelet-perf-settings,numa-topology: KubeletConfig//virt-perf-settings",
  );
  const events = await surface.events();
  const strange = events.filter(({ name }) => !/^virt-platform-operator\.[0-9a-f]{16}$/.test(name));
  expect(strange).toEqual([]);
  expect(events.map(({ action }) => action)).toContain(`AssetApplied ${check}`);
});

test("a drift is told with its fields and whoever made it, and that it was corrected", async () => {
  await golden.edit(pathOf("NodeHealthCheck"), { spec: { minHealthy: "10%" } });
  await expectTold(
    `DriftDetected: Drift detected for ${check}: /spec/minHealthy changed by "kubectl-edit" (Update)`,
    `DriftCorrected: Corrected drift for ${check}`,
  );
});

test("a drift of an object that is held is told once and stays, until the patch is mended", async () => {
  const path = pathOf("NodeHealthCheck");
  await annotate(path, "patch", "[{");
  await golden.until(async () => expect(timesLogged("InvalidPatch", check)).toBe(1));
  const before = timesLogged("DriftDetected", check);
  await golden.edit(path, { spec: { minHealthy: "20%" } }, "somebody");
  await expectTold(`DriftDetected: Drift detected for ${check}: /spec/minHealthy changed by "somebody" (Update)`);
  await golden.edit(path, { metadata: { labels: { note: "theirs" } } }, "somebody");
  expect(await minHealthy()).toBe("20%");
  await annotate(path, "patch", null);
  await golden.until(async () => expect(await minHealthy()).toBe("51%"));
  expect(timesLogged("DriftDetected", check)).toBe(before + 1);
  expect(timesLogged("InvalidPatch", check)).toBe(1);
});

test("that an object is left to others is told", async () => {
  await annotate(pathOf("UIPlugin"), "mode", "unmanaged");
  await expectTold("UnmanagedMode: Resource UIPlugin//monitoring is in unmanaged mode, skipping reconciliation");
  await annotate(pathOf("UIPlugin"), "mode", null);
});

test("that writes have to wait is told once, however long the burst", { timeout: 120_000 }, async () => {
  const path = pathOf("MetalLB");
  const object = "MetalLB/metallb-system/metallb";
  const label = async () => (await golden.read(path)).metadata.labels?.["burst"];
  for (let at = 0; at < 13; at++) {
    const patch = JSON.stringify([{ op: "add", path: "/metadata/labels/burst", value: `${at}` }]);
    await annotate(path, "patch", patch);
    await golden.until(async () => expect(await label()).toBe(`${at}`));
  }
  await expectTold(`Throttled: Update throttled for ${object} (limit: 10 updates per 1m0s)`);
  expect(timesLogged("Throttled", object)).toBe(1);
});

test("what the server refuses is told in its words, once while it refuses", async () => {
  const path = pathOf("UIPlugin");
  await applied(golden.world.server, handsOff({ group: "observability.openshift.io", resource: "uiplugins" }));
  const isOff = async () => at(await golden.read(path), "spec", "monitoring", "perses", "enabled") === false;
  // The policy is in force a moment after it was made: until then the operator corrects.
  await golden.until(async () => {
    if (!(await isOff())) await golden.edit(path, { spec: { monitoring: { perses: { enabled: false } } } }, "they");
    expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
  });
  await expectTold(
    `ApplyFailed: Failed to apply asset observability-operator: uiplugins.observability.openshift.io "monitoring" is forbidden: ValidatingAdmissionPolicy 'hands-off' with binding 'hands-off' denied request: hands off`,
  );
  await golden.edit(path, { metadata: { labels: { note: "theirs" } } }, "they");
  await golden.until(async () =>
    expect(await surface.series('compliance_status{kind="UIPlugin"')).toEqual([expect.stringMatching(/ 0$/)]),
  );
  expect(timesLogged("ApplyFailed", "UIPlugin//monitoring")).toBe(1);
});
