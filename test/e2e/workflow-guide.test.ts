import type { Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import { paths } from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster } from "../support/test-cluster.ts";
import { type AllowedDifference, checkDifferences } from "./guide/allowed-differences.ts";
import {
  changeMigrationLimits,
  editDescheduler,
  fillInHyperConverged,
  holdLaterWorkers,
  installDeschedulerOperator,
  letLaterWorkersGo,
  makeDescheduler,
} from "./guide/cluster.ts";
import { differences } from "./guide/differences.ts";
import { type GuideRun, openGuideRun } from "./guide/guide-run.ts";
import { copiedSteps, printedSteps } from "./guide/steps.ts";
import { areSeedsThere } from "./seeds.ts";

const loadAware = "load-aware-rebalancing";
const higherDensity = "virt-higher-density";

test("every command of the workflow guide works on a real API server", { timeout: 600_000 }, async () => {
  await using testCluster = await startTestCluster({ crds: { kubedeschedulers: null } });
  // A drain that is blocked for a simulated hour degrades its node. At this speed that is a minute, which leaves time
  // for commands.
  await testCluster.simulate("three-workers", 60);
  await testCluster.startOperator();
  const guide = openGuideRun(testCluster);

  await discover(guide);
  await preview(guide);
  await apply(guide);
  await drift(guide);
  await appendix(guide);

  expect(guide.remainingSteps()).toEqual([]);
  const phases = [
    "Ignored, Drafting, PrerequisiteFailed",
    "Drafting, ReviewRequired, InProgress, Completed",
    "Drafting, ReviewRequired", // HCO changed, without a request for this plan
    "Drafting, ReviewRequired, InProgress, Completed", // DryRun, then Apply
  ];
  // A status can be visible before its request is in the audit log.
  await expect.poll(() => phasesOf(guide, loadAware).join(", ")).toBe(phases.join(", "));
});

async function discover({ testCluster: { configs }, runAndCompare }: GuideRun): Promise<void> {
  await Promise.all([loadAware, higherDensity].map((name) => configs.until(name, "Ignored")));
  await runAndCompare("1");
  await runAndCompare("2");
}

async function preview({ testCluster: { server, configs }, next, type, runAndCompare }: GuideRun): Promise<void> {
  const [toDryRun = ""] = next("3").commands;
  await type(toDryRun);
  await configs.until(loadAware, "PrerequisiteFailed");
  await runAndCompare("4");
  await installDeschedulerOperator(server);
  await configs.until(loadAware, "ReviewRequired");
  await runAndCompare("6");
}

async function apply({ testCluster: { server, configs }, shell, next, type, runAndCompare }: GuideRun): Promise<void> {
  await makeDescheduler(server);
  await configs.until(loadAware, (status) => deschedulerProfiles(status).includes("AffinityAndTaints"));
  await holdLaterWorkers(server);
  const [toApply = ""] = next("7").commands;
  await type(toApply);
  // The first node is unavailable for a moment, before the second one starts. Then the pool counts the first one as
  // ready, and the plan shows the drained node.
  const pool = async () => (await server.request({ path: paths.pool("worker") })).body;
  await expect.poll(pool).toMatchObject({ status: { readyMachineCount: 1, unavailableMachineCount: 1 } });
  const progress = "MachineConfigPool 'worker' is updating (1 of 3 nodes updated, 1 unavailable)";
  const isSecondDrained = ({ rollout }: Status) =>
    rollout?.nodes.some(({ name, phase }) => name === "worker-1" && phase === "Draining") === true;
  await configs.until(
    loadAware,
    (status) => itemOf(status, "enable-psi-metrics").message === progress && isSecondDrained(status),
  );
  await runAndCompare("8");
  const [watchPool = "", watchNodes = ""] = next("8").commands;
  const watching = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const poolDone = shell.watch(watchPool, (printed) => {
    if (printed.includes("worker")) watching[0].resolve();
    return /^worker +\S+ +True +False/m.test(printed);
  });
  const nodesRebooted = shell.watch(watchNodes, (printed) => {
    if (printed.includes("worker-2")) watching[1].resolve();
    return ["worker-1", "worker-2"].every((name) => printed.includes(`\n${name}   NotReady`));
  });
  await Promise.all(watching.map(({ promise }) => promise));
  await letLaterWorkersGo(server);
  await Promise.all([poolDone, nodesRebooted]);
  await configs.until(loadAware, "Completed");
  await runAndCompare("9");
}

async function drift({ testCluster: { server, configs }, next, type, runAndCompare }: GuideRun): Promise<void> {
  await changeMigrationLimits(server);
  await configs.until(loadAware, "ReviewRequired");
  await editDescheduler(server);
  await configs.until(loadAware, (status) => itemOf(status, "enable-load-aware-descheduling").diff.includes("180"));
  await runAndCompare("10");
  const [toDryRun = "", toApply = ""] = next("11").commands;
  await type(toDryRun);
  const middle = await configs.until(
    loadAware,
    ({ observedGeneration, phase }) => observedGeneration === 4 && phase === "ReviewRequired",
  );
  const marker = middle.conditions?.find(({ type }) => type === "InputDependencyDrift");
  expect(marker).toMatchObject({ status: "True", reason: "InputChanged" });
  await type(toApply);
  await configs.until(loadAware, "Completed");
  await runAndCompare("11");
}

/** The guide prints no command for this state. */
async function appendix({ testCluster: { server, configs }, runAndCompare }: GuideRun): Promise<void> {
  await fillInHyperConverged(server);
  await configs.edit(higherDensity, { action: "DryRun" });
  await configs.until(higherDensity, "ReviewRequired");
  await runAndCompare("Appendix");
}

function deschedulerProfiles(status: Status): readonly string[] {
  const { desiredState } = itemOf(status, "enable-load-aware-descheduling");
  return (desiredState as { readonly spec?: { readonly profiles?: readonly string[] } }).spec?.profiles ?? [];
}

/**
 * Returns all stored phases in order. The audit log can contain an answer to a user after the write that follows it.
 */
function phasesOf({ testCluster: { server } }: GuideRun, name: string): readonly string[] {
  const stored = server
    .audit()
    .filter(({ objectRef }) => objectRef?.resource === "virtplatformconfigs" && objectRef.name === name)
    .filter(({ objectRef }) => objectRef?.subresource === "status")
    .flatMap(({ responseObject }) => (responseObject as { readonly status?: Status } | undefined)?.status?.phase ?? []);
  return stored.filter((phase, index) => phase !== stored[index - 1]);
}

describe.runIf(areSeedsThere)("the copy of the guide", () => {
  test("equals the guide", () => {
    expect(differences(printedSteps(), copiedSteps())).toEqual([]);
  });
});

describe("the comparison with the guide", () => {
  const list: readonly AllowedDifference[] = [
    { reason: "", source: "", in: [6], lines: "~ phase: Pending -> Drafting\n+ hash: <hash>\n" },
  ];

  test("finds every difference in fields, lists and texts", () => {
    const guide = { phase: "Pending", fields: ["a", "b"], diff: "one\ntwo\n", gone: true, cut: "a\n...\n" };
    const ours = { phase: "Drafting", fields: ["a", "c"], diff: "one\n2\n", come: {}, cut: "a\nb\nc\n" };
    expect(differences(guide, ours)).toEqual([
      "~ phase: Pending -> Drafting",
      '- fields | "b"',
      '+ fields | "c"',
      "- diff | two",
      "+ diff | 2",
      "- gone: true",
      "+ come: {}",
    ]);
    expect(differences(ours, ours)).toEqual([]);
  });

  test("allows each listed difference of a section once, and no other", () => {
    const hash = `+ hash: ${"0".repeat(64)}`;
    const phase = "~ phase: Pending -> Drafting";
    expect(checkDifferences("6", [hash, phase], list)).toEqual({ unexpected: [], missing: [] });
    expect(checkDifferences("6", [phase, phase], list)).toEqual({ unexpected: [phase], missing: ["+ hash: <hash>"] });
    expect(checkDifferences("7", [phase], list)).toEqual({ unexpected: [phase], missing: [] });
  });
});
