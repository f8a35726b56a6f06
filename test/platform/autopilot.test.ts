import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { expect, test } from "vitest";
import { autopilotDeployment, ownConfigMaps, rowIn, shareAutopilotCluster } from "../support/autopilot-cluster.ts";
import { now } from "../support/full-cluster.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";

const { descheduler, plugin, metallb, swap } = objectPaths;
const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const psi = `${machineConfigs}/99-openshift-machineconfig-worker-psi-karg`;
const theirs = "virt-platform-autopilot";
const ours = "virt-platform-operator";
const managedBy = "platform.kubevirt.io/managed-by";

const deschedulerName = "KubeDescheduler openshift-kube-descheduler-operator/cluster";

const cluster = shareAutopilotCluster({ hasAutopilot: true });
const labelOf = async (path: string) => (await cluster.read(path)).metadata?.labels?.[managedBy];
const pathOf = (uri: string) => uri.split("?", 1)[0] ?? "";

test("A. OpenShift Virtualization 5.0 without annotations", { timeout: 300_000 }, async () => {
  await cluster.until(async () => expect(await labelOf(plugin)).toBe(theirs));
  await cluster.start();
  await cluster.untilReported(false, "Active");
  expect(await cluster.report()).toMatchObject({
    combinedState: "AutopilotOnly",
    autopilot: { state: "Active", namespace: "openshift-cnv" },
  });
  const shared = {
    "observability-operator": "UIPlugin monitoring",
    "descheduler-loadaware": deschedulerName,
    "psi-enable": "MachineConfig 99-openshift-machineconfig-worker-psi-karg",
    "swap-enable": "MachineConfig 90-worker-swap-online",
  };
  const { kubeconfig } = cluster.server;
  const explained = await Promise.all(
    Object.keys(shared).map((asset) => runCommand("explain", asset, `--kubeconfig=${kubeconfig}`)),
  );
  for (const [index, object] of Object.values(shared).entries())
    expect(explained[index]?.stdout).toMatch(new RegExp(`${theirs} (?:manages|applies) ${object}`));
  expect(cluster.writes()).toEqual([]);
});

test("B. both operators are on", { timeout: 300_000 }, async () => {
  await cluster.annotate({ "virt-platform-operator": "true", "enable-loadaware": "true" });
  await cluster.until(async () => expect(await labelOf(metallb)).toBe(ours));
  await cluster.untilReported(true, "Active");
  await cluster.until(async () => expect(await cluster.events("AutopilotDetected")).toHaveLength(1));
  await cluster.untilCorrected();
  expect(await Promise.all([descheduler, plugin, psi, hcoPath].map(labelOf))).toEqual([theirs, theirs, theirs, theirs]);
  await cluster.until(async () => {
    const hco = await cluster.read(hcoPath);
    const golden = asList(at(hco, "metadata", "managedFields")).find((entry) => at(entry, "manager") === ours);
    expect(at(golden, "fieldsV1", "f:spec", "f:liveMigrationConfig")).toMatchObject({
      "f:allowAutoConverge": {},
      "f:parallelMigrationsPerCluster": {},
    });
    expect(at(golden, "fieldsV1", "f:metadata", "f:labels")).toBeUndefined();
  });
  const report = await cluster.report();
  expect(report["combinedState"]).toBe("Both");
  expect(["UIPlugin monitoring", "MetalLB metallb-system/metallb", "MachineConfig 50-virt-swap-enable"].map((object) => at(rowIn(report, object), "managedBy"))).toEqual([theirs, ours, theirs]); // biome-ignore format: one line
  expect((await cluster.events("ManagedByAutopilot")).map(({ note }) => note)).toContain(
    `UIPlugin monitoring is managed by ${theirs}; asset observability-operator is not applied`,
  );
  const written = new Set(cluster.writes().map(({ requestURI }) => pathOf(requestURI)));
  expect([descheduler, plugin, psi, swap].filter((path) => written.has(path))).toEqual([]);
});

test("E. one object is governed by our operator", { timeout: 300_000 }, async () => {
  await cluster.annotate({ mode: "unmanaged", governor: ours }, descheduler);
  await cluster.until(async () => expect(await labelOf(descheduler)).toBe(ours));
  await cluster.untilManaged(deschedulerName, ours);
  const { spec } = (await cluster.read(descheduler)) as { readonly spec?: JsonMap };
  expect(spec).toMatchObject({ profileCustomizations: { devDeviationThresholds: "AsymmetricLow" } });
  const since = now();
  await cluster.annotate({ mode: null }, descheduler);
  await cluster.until(async () => expect(await labelOf(descheduler)).toBe(theirs));
  await cluster.until(async () => {
    const notes = (await cluster.events("AutopilotTookOver")).map(({ note }) => note);
    expect(notes.join()).toContain(`${theirs} took over ${deschedulerName}`);
  });
  await cluster.untilCorrected();
  expect(cluster.writes(since).map(({ requestURI }) => pathOf(requestURI))).not.toContain(descheduler);
  await cluster.annotate({ governor: "someone" }, descheduler);
  await cluster.until(async () => {
    const notes = (await cluster.events("InvalidConfiguration")).map(({ note }) => note);
    expect(notes.join()).toContain("platform.kubevirt.io/governor");
  });
  await cluster.annotate({ governor: null }, descheduler);
});

test("the writes of an opponent over two hours cost at most one write of ours per object", {
  timeout: 600_000,
}, async () => {
  const since = now();
  const objects = asList(at(await cluster.report(), "objects")).filter((row) => at(row, "managedBy") === theirs);
  expect(objects.length).toBeGreaterThan(2);
  const fight = async (round: number) => {
    const body = {
      apiVersion: "observability.openshift.io/v1alpha1",
      kind: "UIPlugin",
      metadata: { name: "monitoring", labels: { [managedBy]: theirs } },
      spec: { type: "Monitoring", monitoring: { perses: { enabled: round % 2 === 0 } } },
    };
    const hco = {
      apiVersion: "hco.kubevirt.io/v1beta1",
      kind: "HyperConverged",
      metadata: { name: "kubevirt-hyperconverged", labels: { [managedBy]: theirs }, annotations: { "platform.kubevirt.io/version": `1.0.${round}` } }, // biome-ignore format: one line
      spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 5 + round } },
    };
    for (const [path, object] of [
      [plugin, body],
      [hcoPath, hco],
    ] as const) {
      const contentType = "application/apply-patch+yaml";
      const forced = `${path}?fieldManager=${theirs}&force=true`;
      const answer = await cluster.server.request({ method: "PATCH", path: forced, contentType, body: object }); // oxlint-disable-line no-await-in-loop -- one after another
      expect(answer.status).toBe(200);
    }
  };
  for (let round = 0; round < 24; round++) {
    await fight(round); // oxlint-disable-line no-await-in-loop -- one round after another
    await cluster.time.skip(cluster.operator, 300); // oxlint-disable-line no-await-in-loop -- one round after another
    await cluster.untilCorrected(); // oxlint-disable-line no-await-in-loop -- one round after another
  }
  const counts = Map.groupBy(cluster.writes(since), ({ requestURI }) => pathOf(requestURI));
  expect([...counts].filter(([, writes]) => writes.length > 1).map(([path]) => path)).toEqual([]);
  expect(counts.get(plugin)).toBeUndefined();
  expect(await Promise.all([plugin, hcoPath].map(labelOf))).toEqual([theirs, theirs]);
  expect(await cluster.events("ThrashingDetected")).toEqual([]);
});

test("C. the console switches the autopilot on again", { timeout: 600_000 }, async () => {
  const switches = { "enable-mtv": "true", "enable-metallb": "true" };
  await cluster.annotate({ autopilot: "false", ...switches });
  await cluster.until(async () => {
    await cluster.time.skip(cluster.operator, 31);
    expect(at(await cluster.report(), "autopilot", "state")).toBe("Off");
  });
  const forklift =
    "/apis/forklift.konveyor.io/v1beta1/namespaces/openshift-mtv/forkliftcontrollers/forklift-controller";
  const taken = [plugin, descheduler, psi, hcoPath];
  for (const path of taken) await cluster.annotate({ adopt: "true" }, path); // oxlint-disable-line no-await-in-loop -- one after another
  await cluster.until(async () => expect(await Promise.all([...taken, metallb, forklift].map(labelOf))).toEqual([...taken, metallb, forklift].map(() => ours))); // biome-ignore format: one line
  await cluster.untilCorrected();
  await cluster.until(async () => expect(await cluster.report()).toMatchObject({ combinedState: "Alone" }));
  for (const path of taken) await cluster.annotate({ adopt: null }, path); // oxlint-disable-line no-await-in-loop -- one after another
  await cluster.untilCorrected();

  const since = now();
  await cluster.annotate({ autopilot: "true" });
  const all = [...taken, metallb, forklift];
  await cluster.until(async () => expect(await Promise.all(all.map(labelOf))).toEqual(all.map(() => theirs)));
  await cluster.untilReported(true, "Active");
  const names = [
    "UIPlugin monitoring",
    "KubeDescheduler",
    "MachineConfig 99-openshift",
    "MetalLB metallb-system/metallb",
  ];
  await cluster.until(async () => {
    const notes = (await cluster.events("AutopilotTookOver")).map(({ note }) => note);
    expect(names.filter((name) => notes.every((note) => !note.includes(`took over ${name}`)))).toEqual([]);
  });
  await cluster.untilCorrected();
  const after = cluster.writes(since).map(({ requestURI }) => pathOf(requestURI));
  expect(after.filter((path) => path !== hcoPath && path !== forklift)).toEqual([]);
  expect(after.length).toBeLessThanOrEqual(2); // the label and the fields that both operators set
  expect(await labelOf(hcoPath)).toBe(theirs);
  expect(await cluster.events("ThrashingDetected")).toEqual([]);
});

test("D. an upgrade with a legacy value", { timeout: 300_000 }, async () => {
  await cluster.operator.kill();
  await cluster.annotate({ autopilot: "hco-golden-config", "virt-platform-operator": null });
  for (const name of ["consent", "report"])
    await cluster.server.request({ method: "DELETE", path: `${ownConfigMaps}/${ours}-${name}` }); // oxlint-disable-line no-await-in-loop -- one after another
  const since = now();
  await cluster.start();
  await cluster.untilReported(true, "Active");
  await cluster.until(async () => {
    const notes = (await cluster.events("ActivationKeyDeprecated")).map(({ note }) => note);
    expect(notes).toEqual([
      "Annotation platform.kubevirt.io/autopilot now belongs to virt-platform-autopilot. To keep virt-platform-operator active, run: kubectl annotate hco kubevirt-hyperconverged -n openshift-cnv platform.kubevirt.io/virt-platform-operator=hco-golden-config",
    ]);
  });
  const unasked = cluster.writes(since).map(({ requestURI }) => pathOf(requestURI));
  expect(unasked.filter((path) => path !== `${ownConfigMaps}/${ours}-consent`)).toEqual([]);

  for (const value of ["true", "hco-golden-config"]) {
    await cluster.annotate({ autopilot: value }); // oxlint-disable-line no-await-in-loop -- one after another
    await cluster.untilReported(false, "Active"); // oxlint-disable-line no-await-in-loop -- one after another
  }
  await cluster.until(async () => expect(await cluster.events("ActivationIgnored")).toHaveLength(2));
  await cluster.operator.kill();
  await cluster.start();
  await cluster.until(() => Promise.resolve(expect(cluster.operator.log.some(({ reason }) => reason === "ActivationIgnored")).toBe(true))); // biome-ignore format: one line
  await cluster.untilReported(false, "Active");
});

test("the Deployment of the autopilot is never written", () => {
  const written = cluster.writes().map(({ requestURI }) => pathOf(requestURI));
  expect(written).not.toContain(autopilotDeployment);
  const bodies = cluster.writes().map(({ requestObject }) => JSON.stringify(requestObject ?? {}));
  expect(bodies.filter((body) => body.includes(`"${managedBy}":"${theirs}"`))).toEqual([]);
});
