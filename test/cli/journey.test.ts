import { rejectedPlanAnnotation, type Status } from "@virt/api";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { edit, eventsAbout, fault, loadAware, paths, printRequestsOnFailure, readAt } from "../support/advisor.ts";
import { followPlugin, type PluginRun, runAtTerminal, runPlugin } from "../support/plugin.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";

const escape = "\u001B";
const configPath = `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${loadAware}`;
let testCluster: TestCluster;
let kubeconfig: string;

beforeAll(async () => {
  testCluster = await startAdvisedCluster();
  ({ kubeconfig } = testCluster.server);
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(args, { kubeconfig });
const dataOf = ({ out }: PluginRun) =>
  JSON.parse(out) as { apiVersion: string; kind: string; items: { name: string }[] };
type StoredConfig = {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
};
const storedConfig = async () => (await readAt(testCluster.server, configPath)) as unknown as StoredConfig;
const planHash = async () => (await testCluster.configs.status(loadAware)).planHash ?? "";

test("profiles lists advertised profiles in every format with the next step", async () => {
  const shown = await run("profiles");
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/^PROFILE +ACTION +PHASE/);
  expect(shown.out).toMatch(/load-aware-rebalancing +Ignore +Ignored/);
  expect(shown.out).toContain("Next: live-migration: ");
  expect(shown.out).not.toContain(escape);
  const { apiVersion, kind, items } = dataOf(await run("profiles", "-o", "json"));
  expect({ apiVersion, kind }).toEqual({ apiVersion: "cli.advisor.kubevirt.io/v1", kind: "ProfileList" });
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining([loadAware, "virt-higher-density"]));
  expect((await run("profiles", "-o", "yaml")).out).toMatch(/^apiVersion: cli\.advisor\.kubevirt\.io\/v1\n/);
  expect((await run("profiles", "-o", "markdown")).out).toMatch(/^\| PROFILE \|/);
  expect((await run("profiles", "-o", "wide", "--sort-by", "profile")).out).toMatch(
    /^PROFILE .* PLAN SINCE +DESCRIPTION +DOCUMENTATION\n/,
  );
  expect((await run("profiles", "-o", "name")).out).toContain(`virtplatformconfig.advisor.kubevirt.io/${loadAware}\n`);
  expect((await run("profiles", "-o", "jsonpath={.items[*].name}")).out.split(" ")).toContain(loadAware);
});

const mistakes: readonly { args: readonly string[]; says: string }[] = [
  { args: ["status", "load-aware"], says: 'profile "load-aware" not found' },
  { args: ["plan", "load-aware-rebalancin"], says: "did you mean load-aware-rebalancing?" },
  { args: ["aprove", "x"], says: "did you mean approve?" },
  { args: ["profiles", "-o", "xml"], says: "must be one of table, wide, name, json, yaml, jsonpath=, markdown" },
  { args: ["plan"], says: "plan requires NAME" },
  { args: ["plan", loadAware, "--set", "modde=Predictive"], says: 'has no option "modde"; did you mean mode?' },
  { args: ["profiles", "--as-group", "x"], says: "--as-group requires --as" },
  { args: ["diff", loadAware], says: `has no plan. To draft one, run: kubectl virt-advisor plan ${loadAware}` },
  { args: ["profiles", "--context", "nowhere"], says: 'it has no context "nowhere"' },
];

test.each(mistakes)("rejects $args with a suggestion", async ({ args, says }) => {
  const { code, out, err } = await run(...args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^error: /);
  expect(err).toContain(says);
});

test("plan drafts a plan, shows it with its impact and exits with 2", async () => {
  const shown = await run("plan", loadAware, "--set", "mode=Predictive", "--set", "deschedulingIntervalSeconds=120");
  expect(shown.code).toBe(2);
  const hash = await planHash();
  expect(shown.out).toContain(`Plan:     ${hash.slice(0, 12)} (`);
  expect(shown.out).toMatch(/enable-psi-metrics +MachineConfig 99-worker-psi-karg +\+ creates \(9 lines\) +High/);
  expect(shown.out).toContain("Impact:   Reboots 3 nodes (worker pool, one at a time).");
  expect(shown.out).toContain("Approve by hash to set spec.approvedPlan, so that only this plan runs.");
  expect(shown.out).toContain("mode Predictive only simulates evictions");
  expect(shown.out).toContain(
    "Settings: failurePolicy Abort, bypassOptimisticLock false, waitTimeout none, guards none",
  );
  expect(shown.out).toContain(
    `Next: review the diff and the impact, then approve this plan with: kubectl virt-advisor approve ${loadAware} --hash ${hash.slice(0, 12)}\n`,
  );
  const { spec } = await storedConfig();
  expect(spec).toMatchObject({
    action: "DryRun",
    options: { loadAware: { mode: "Predictive", deschedulingIntervalSeconds: 120 } },
  });
  for (const [given, says] of [
    ["deschedulingIntervalSeconds=1", "should be greater than or equal to 60"],
    ["deschedulingIntervalSeconds=soon", "must be of type integer"],
    ["mode=Predictve", 'supported values: "Automatic", "Predictive"'],
    ["mode.inner=1", 'unknown field "spec.options.loadAware.mode.inner"'],
  ] as const) {
    const refused = await run("plan", loadAware, "--set", given);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain(says);
  }
});

test("diff prints the full diff, with colors only at a terminal", async () => {
  const piped = await run("diff", loadAware);
  expect(piped.code).toBe(2);
  expect(piped.out).toContain("+  - psi=1\n");
  expect(piped.out).not.toContain(escape);
  const colored = await runAtTerminal(["diff", loadAware], { kubeconfig }).ended;
  expect(colored.out).toContain(`${escape}[32m+  - psi=1${escape}[0m`);
  for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
    const plain = await runAtTerminal(["diff", loadAware], { kubeconfig, env }).ended;
    expect(plain.out).toContain("+  - psi=1");
    expect(plain.out).not.toContain(escape);
  }
  expect((await run("diff", loadAware, "--color", "always")).out).toContain(escape);
  expect((await run("diff", loadAware, "--raw")).out).toContain("+  - psi=1\n");
  expect((await run("diff", loadAware, "-o", "markdown")).out).toContain("```diff\n--- /dev/null");
});

test("a narrow terminal folds tables and lines, but no command", async () => {
  const { out } = await runAtTerminal(["status", loadAware, "--color", "never"], { kubeconfig, columns: 60 }).ended;
  const lines = out.split(/\r?\n/u).map((line) => line.trim());
  const long = lines.filter((line) => line.length > 60 && line.includes(" "));
  const approval = `kubectl virt-advisor approve ${loadAware} --hash ${(await planHash()).slice(0, 12)}`;
  expect(long).toEqual([approval]);
  expect(out).toContain("Next:");
});

test("impact shows the advisor's assessment of each pool", async () => {
  await testCluster.configs.until(loadAware, ({ impact }) => impact !== undefined);
  const shown = await run("impact", loadAware);
  expect(shown.code).toBe(0);
  expect(shown.out).toContain("nodes (worker pool, one at a time).");
  expect(shown.out).toMatch(/POOL +CLASS +NODES +AT A TIME +WAVES +DURATION/);
  expect(shown.out).toMatch(/worker +Reboot +3 +1 +3 +\d[^(]+(?:minutes|hours) +0 +- +worker-0 worker-1 worker-2/);
  const { impact } = await testCluster.configs.status(loadAware);
  for (const text of impact?.assumes ?? []) expect(shown.out).toContain(`\n  ${text}\n`);
  for (const { what, reason } of impact?.notAssessed ?? []) expect(shown.out).toContain(`\n  ${what}: ${reason}`);
  for (const { namespace, name } of [...(impact?.blockers ?? []), ...(impact?.stops ?? [])])
    expect(shown.out).toContain(` ${namespace}/${name} `);
  expect(dataOf(await run("impact", loadAware, "-o", "json"))).toMatchObject({ impact });
  const planned = dataOf(await run("plan", loadAware, "-o", "json"));
  expect(planned).toMatchObject({ impactSummary: impact?.summary, impact });
});

test("shows a rejection until a new plan replaces it", async () => {
  const hash = await planHash();
  expect(await run("reject", loadAware, "--reason", "not before Friday")).toMatchObject({ code: 0 });
  const { metadata, spec } = await storedConfig();
  expect(metadata.annotations?.[rejectedPlanAnnotation]).toBe(`${hash} not before Friday`);
  expect(spec).not.toHaveProperty("approvedPlan");
  expect((await run("status", loadAware)).out).toMatch(/Rejected: by \S+ \(not verified\) at \S+Z: not before Friday/);
  const asked = await runAtTerminal(["approve", loadAware], { kubeconfig, typed: "no", columns: 200 }).ended;
  expect(asked.out).toMatch(/Rejected: by \S+ \(not verified\) at \S+Z: not before Friday/);
  const fresh = await run("plan", loadAware, "--set", "mode=Automatic");
  expect(fresh.out).not.toContain("Rejected");
  expect(await planHash()).not.toBe(hash);
});

test("approve requires a terminal or the hash of the current plan", async () => {
  const hash = await planHash();
  const unasked = await run("approve", loadAware);
  expect(unasked.code).toBe(1);
  expect(unasked.err).toContain("Cannot prompt for confirmation: stdin is not a terminal. Pass --yes.");
  expect(unasked.err).toContain(`approve ${loadAware} --hash ${hash.slice(0, 12)}\n`);
  const short = await run("approve", loadAware, "--hash", hash.slice(0, 11));
  expect(short).toMatchObject({ code: 1, out: "" });
  expect(short.err).toContain("12 to 64 hexadecimal digits");
  const other = await run("approve", loadAware, "--hash", "0".repeat(64));
  expect(other.code).toBe(3);
  expect(other.err).toContain("Nothing was changed");
  const refused = await runAtTerminal(["approve", loadAware], { kubeconfig, typed: "no" }).ended;
  expect(refused.out).toContain("Nothing was changed");
  // Another user changes the plan between the review and the approval.
  await testCluster.configs.edit(loadAware, {
    options: { loadAware: { mode: "Automatic", deschedulingIntervalSeconds: 240 } },
  });
  await testCluster.configs.until(loadAware, (status) => status.phase === "ReviewRequired" && status.planHash !== hash);
  expect(await run("approve", loadAware, "--hash", hash)).toMatchObject({ code: 3, out: "" });
  expect((await storedConfig()).spec).toMatchObject({ action: "DryRun" });
});

test("Ctrl-C at the prompt exits with 130 and changes nothing", async () => {
  const before = await storedConfig();
  const asked = runAtTerminal(["approve", loadAware], { kubeconfig });
  await expect.poll(asked.out).toContain("Type yes to confirm:");
  asked.interrupt();
  const { code, out } = await asked.ended;
  expect(code).toBe(130);
  expect(out.trimEnd()).toMatch(/\nAborted\. Nothing was changed\.$/u);
  expect((await storedConfig()).spec).toEqual(before.spec);
});

test("approve at a terminal shows the impact first and records the approver", async () => {
  const hash = await planHash();
  await fault(testCluster.server, paths.pool("worker"), ["render-delay", "9000h"]); // keeps the rollout open
  await testCluster.configs.until(loadAware, ({ impact }) => impact !== undefined);
  const approved = await runAtTerminal(["approve", loadAware], { kubeconfig, typed: "yes" }).ended;
  const summary = "Reboots 3 nodes (worker pool";
  expect(approved.out.indexOf(`Impact:   ${summary}`)).toBeGreaterThan(-1);
  expect(approved.out.indexOf(`Impact:   ${summary}`)).toBeLessThan(approved.out.indexOf("Type yes to confirm:"));
  expect(approved.out).toContain("Settings: failurePolicy Abort, bypassOptimisticLock false");
  expect(approved.out).toContain(`Impact: ${summary}`);
  expect(approved.out).toContain(`Approve plan ${hash.slice(0, 12)} of ${loadAware}? Type yes to confirm:`);
  expect(approved).toMatchObject({ code: 0 });
  const approvals = async () =>
    (await eventsAbout(testCluster.server, loadAware)).filter(({ reason }) => reason === "PlanApproved");
  const named = new RegExp(
    `^Plan ${hash.slice(0, 12)} approved by \\S+ \\(not verified\\) through kubectl-virt_advisor `,
  );
  await expect.poll(async () => (await approvals())[0]?.note).toMatch(named);
});

test("drift of a running plan exits with 2", async () => {
  const machineConfig = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/99-worker-psi-karg";
  const isDrifted = ({ conditions = [] }: Status) =>
    conditions.some(({ type, status }) => type === "Drifted" && status === "True");
  await testCluster.configs.until(loadAware, ({ progress }) => progress !== undefined);
  await edit(testCluster.server, machineConfig, { spec: { kernelArguments: ["psi=0"] } });
  await testCluster.configs.until(loadAware, isDrifted);
  const shown = await run("drift");
  expect(shown.code).toBe(2);
  expect(shown.out).toMatch(/MachineConfig 99-worker-psi-karg +spec\.kernelArguments/);
  expect(await testCluster.configs.status(loadAware)).toMatchObject({ phase: "InProgress" });
  await edit(testCluster.server, machineConfig, { spec: { kernelArguments: ["psi=1"] } });
  await testCluster.configs.until(loadAware, (status) => !isDrifted(status));
  expect(await run("drift")).toMatchObject({ code: 0, out: "Nothing has drifted.\n" });
});

test("status --wait follows a rollout line by line until it completes", async () => {
  const hash = await planHash();
  const waiting = followPlugin(["status", loadAware, "--wait"], { kubeconfig });
  await expect.poll(waiting.out).toContain(`${loadAware}: InProgress`);
  await fault(testCluster.server, paths.pool("worker"), ["render-delay", null]);
  const waited = await waiting.ended;
  expect(waited.code).toBe(0);
  expect(waited.out.trimEnd().split("\n").at(-1)).toContain(`${loadAware}: Completed`);
  expect(waited.out).not.toContain(escape);
  expect((await storedConfig()).spec).toMatchObject({ action: "Apply", approvedPlan: hash });
  const shown = await run("status", loadAware);
  expect(shown.out).toMatch(/worker +\[#{20}\] +3 of 3 updated/);
  expect(shown.out).toContain("Next: nothing to do.");
  const checked = await run("doctor");
  expect(checked).toMatchObject({ code: 0, err: "" });
  expect(checked.out).toContain("Nothing is blocking the pools.");
  expect(await run("diff", loadAware)).toMatchObject({ code: 0 });
});

const readers: readonly (readonly string[])[] = [
  ["profiles"],
  ["diff", loadAware],
  ["impact", loadAware],
  ["status"],
  ["drift"],
  ["doctor"],
  ["version", "--client"],
];

test.each(readers)("%s prints JSON, YAML and Markdown", async (...args) => {
  const [json, yaml, markdown] = await Promise.all(
    ["json", "yaml", "markdown"].map((format) => run(...args, "-o", format)),
  );
  const { apiVersion, kind } = dataOf(json as PluginRun);
  expect(apiVersion).toBe("cli.advisor.kubevirt.io/v1");
  expect(load(yaml?.out ?? "")).toMatchObject({ apiVersion, kind });
  expect([json, yaml, markdown]).toMatchObject([0, 0, 0].map((code) => ({ code, err: "" })));
  expect(markdown?.out).toMatch(/^[|`*#-]|^\S+/);
  expect(markdown?.out).not.toMatch(/^(apiVersion|\{)/);
});

test("a wait that times out exits with 5", async () => {
  await testCluster.configs.edit("virt-higher-density", { action: "DryRun", options: {} });
  const waited = await run("status", "--wait", "--timeout", "0s");
  expect(waited.code).toBe(5);
  await testCluster.configs.edit("virt-higher-density", { action: "Ignore" });
});

test("drift names the field, both values and the client, and exits with 2", async () => {
  expect(await run("drift")).toMatchObject({ code: 0, out: "Nothing has drifted.\n" });
  await edit(testCluster.server, paths.descheduler, { spec: { mode: "Predictive" } });
  await testCluster.configs.until(loadAware, "Drifted");
  const shown = await run("drift", loadAware);
  expect(shown.code).toBe(2);
  expect(shown.out).toMatch(/KubeDescheduler cluster +spec\.mode +"Automatic" +"Predictive" +\S.* \(Update\)/);
  expect((await run("profiles")).out).toMatch(/Drifted +\S+ +drifted/);
  await edit(testCluster.server, paths.descheduler, { spec: { mode: "Automatic" } });
  await testCluster.configs.until(loadAware, "Completed");
});

test("--watch redraws the terminal in place until Ctrl-C", async () => {
  const watching = runAtTerminal(["status", "--watch"], { kubeconfig, columns: 120 });
  await expect.poll(watching.out).toContain("Completed");
  await testCluster.configs.edit(loadAware, { action: "DryRun" });
  await expect.poll(watching.out).toContain("Drafting");
  await expect.poll(watching.out).toContain(`${escape}[J`);
  watching.interrupt();
  expect((await watching.ended).code).toBe(130);
});

test("ignore stops managing a profile, and plan resumes it", async () => {
  const ignored = await run("ignore", loadAware);
  expect(ignored).toMatchObject({ code: 0 });
  expect(ignored.out).toMatch(/These options stay set and apply to the next plan: .*mode="Automatic"/);
  await testCluster.configs.until(loadAware, "Ignored");
  expect((await run("status", loadAware)).out).toContain(`kubectl virt-advisor plan ${loadAware}`);
  expect((await run("plan", loadAware)).code).toBe(0);
});

test("doctor finds a blocked pool that no config updates and exits with 6", async () => {
  await edit(testCluster.server, paths.pool("worker"), { spec: { maxUnavailable: "few" } });
  const machineConfig = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "98-by-hand", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { kernelArguments: ["by-hand=1"] },
  };
  const path = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
  await testCluster.server.request({ method: "POST", path, body: machineConfig });
  await expect.poll(async () => (await run("doctor", "--pool", "worker")).code).toBe(6);
  const held = await run("doctor");
  expect(held.out).toContain("! blocking  Pool worker: maxUnavailable 'few' is neither a number nor a percentage");
  expect(held.out).toContain("Next: oc edit mcp worker");
  expect(held.out).toMatch(/master +\[#+\] +3 of 3 updated/);
  expect(await run("doctor", "--pool", "master")).toMatchObject({ code: 0 });
  const shown = JSON.parse((await run("doctor", "-o", "json")).out) as {
    kind: string;
    rollout: { findings: unknown[] };
  };
  expect(shown.kind).toBe("Diagnosis");
  expect(shown.rollout.findings).toMatchObject([{ id: "InvalidMaxUnavailable", severity: "blocking" }]);
  expect((await run("doctor", "--pool", "workers")).err).toContain("did you mean worker?");
});

test("a wait for a failing plan exits with 4", async () => {
  await testCluster.configs.edit("virt-higher-density", { action: "Apply", waitTimeout: "1s", options: {} });
  const waited = await run("status", "virt-higher-density", "--wait");
  expect(waited.out).toContain("virt-higher-density: Failed");
  expect(waited.code).toBe(4);
});
