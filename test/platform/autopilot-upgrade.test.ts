import { reportName } from "@virt/platform";
import { expect, test } from "vitest";
import { autopilotDeployment, ownConfigMaps, shareAutopilotCluster } from "../support/autopilot-cluster.ts";
import { now } from "../support/full-cluster.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";

const { check, plugin } = objectPaths;
const consent = `${ownConfigMaps}/virt-platform-operator-consent`;
const managedBy = "platform.kubevirt.io/managed-by";
const name = "virt-platform-autopilot";

const cluster = shareAutopilotCluster({ hasAutopilot: false });
const labelOf = async (path: string) => (await cluster.read(path)).metadata?.labels?.[managedBy];
const remove = (path: string) => cluster.server.request({ method: "DELETE", path });
const reasons = () => {
  const said = cluster.operator.log.flatMap(({ reason }) => (typeof reason === "string" ? reason : []));
  return [...new Set(said.filter((reason) => /^Activation|^Unknown/.test(reason)))];
};

async function deployAutopilot(): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "manager", image: "registry.invalid/autopilot:test" }];
  const body = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
  const path = autopilotDeployment.slice(0, autopilotDeployment.lastIndexOf("/"));
  expect((await cluster.server.request({ method: "POST", path, body })).status).toBe(201);
}

type Upgrade = {
  readonly autopilot: string | null;
  readonly flags?: readonly string[];
  readonly isActive: boolean;
  readonly reasons?: readonly string[];
};

/** Starts this release as after an upgrade: without a record, and without the report of an earlier start. */
async function upgrade({ autopilot, flags = [] }: Upgrade): Promise<string> {
  await cluster.annotate({ autopilot, "virt-platform-operator": null });
  await remove(consent);
  await remove(`${ownConfigMaps}/${reportName}`);
  const since = now();
  await cluster.start(...flags);
  return since;
}

async function expectUpgraded({ isActive, reasons: wanted = [] }: Upgrade, since: string, state: string) {
  await cluster.untilReported(isActive, state);
  if (isActive) await cluster.untilCorrected();
  const written = cluster.writes(since).map(({ requestURI }) => requestURI.split("?", 1)[0]);
  expect(written.filter((path) => path !== consent)).toEqual([]);
  await cluster.until(() => Promise.resolve(expect(reasons()).toEqual(wanted)));
}

const deprecated = ["ActivationKeyDeprecated"];
const always = ["--activation=always"];

test("an earlier release has applied everything", { timeout: 300_000 }, async () => {
  await cluster.annotate({ "virt-platform-operator": "true", "enable-loadaware": "true" });
  await cluster.start();
  await cluster.until(async () => expect(await labelOf(check)).toBe("virt-platform-operator"));
  await cluster.until(async () => expect(await labelOf(plugin)).toBe("virt-platform-operator"));
  await cluster.untilReported(true, "Absent");
  await cluster.untilCorrected();
  await cluster.operator.kill();
});

test.each<Upgrade>([
  { autopilot: null, isActive: false },
  { autopilot: "true", isActive: true, reasons: deprecated },
  { autopilot: "node-health-check", isActive: true, reasons: deprecated },
  { autopilot: "false", isActive: false },
  { autopilot: null, flags: always, isActive: true },
  { autopilot: "false", flags: always, isActive: false },
])("an upgrade without the autopilot writes nothing: %o", { timeout: 300_000 }, async (given) => {
  await expectUpgraded(given, await upgrade(given), "Absent");
  await cluster.operator.kill();
});

test("the autopilot is installed with the upgrade", { timeout: 300_000 }, async () => {
  await cluster.annotate({ autopilot: null });
  await deployAutopilot();
  await cluster.until(async () => expect(await Promise.all([plugin, hcoPath].map(labelOf))).toEqual([name, name]));
});

test.each<Upgrade>([
  { autopilot: null, isActive: false },
  { autopilot: "true", isActive: true, reasons: deprecated },
  { autopilot: "node-health-check", isActive: true, reasons: deprecated },
  { autopilot: null, flags: always, isActive: true },
])("an upgrade next to the autopilot writes nothing: %o", { timeout: 300_000 }, async (given) => {
  await expectUpgraded(given, await upgrade(given), "Active");
  await cluster.operator.kill();
});

test("a restart is not an upgrade, so a console cannot activate the controller", { timeout: 300_000 }, async () => {
  await upgrade({ autopilot: null, isActive: false });
  await cluster.untilReported(false, "Active");
  await cluster.operator.kill();
  await cluster.annotate({ autopilot: "true" });
  const since = now();
  await cluster.start();
  await cluster.until(() => Promise.resolve(expect(reasons()).toEqual(["ActivationIgnored"])));
  await cluster.untilReported(false, "Active");
  expect(cluster.writes(since)).toEqual([]);
  await cluster.operator.kill();
});

test("an upgrade of a controller that owns nothing stays idle", { timeout: 300_000 }, async () => {
  const released = await runCommand("release", "--yes", `--kubeconfig=${cluster.server.kubeconfig}`);
  expect(released).toMatchObject({ code: 0 });
  const given: Upgrade = { autopilot: "true", isActive: false, reasons: ["ActivationIgnored"] };
  await expectUpgraded(given, await upgrade(given), "Active");
});
