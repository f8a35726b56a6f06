// Every verb of the plugin on the oldest Node that it supports, with a plan to show, to reject and to approve.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { loadAware } from "../advisor/cluster.ts";
import { oldestNode, runPlugin } from "./plugin.ts";

let testCluster: TestCluster;
const namespace = "virt-advisor-operator-system";
const report = { version: 1, activation: { mode: "always", isActive: true }, hco: null, objects: [], exclusions: [] };

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" } });
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  await testCluster.configs.until(loadAware, "Ignored");
  await testCluster.server.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: { metadata: { name: "virt-platform-operator-report" }, data: { "report.json": JSON.stringify(report) } },
  });
});
afterAll(() => testCluster[Symbol.asyncDispose]());

type VerbRun = { readonly args: readonly string[]; readonly code: number; readonly says: RegExp };

/** In the order of a plan's life. HASH stands for the plan that is shown. */
const everyVerb: readonly VerbRun[] = [
  { args: ["profiles"], code: 0, says: /load-aware-rebalancing +Ignore/u },
  { args: ["plan", loadAware], code: 2, says: /Next: review the diff/u },
  { args: ["diff", loadAware], code: 2, says: /\+ {2}- psi=1/u },
  { args: ["impact", loadAware], code: 0, says: /nodes of pool worker reboot/u },
  { args: ["reject", loadAware, "--reason", "not before Friday"], code: 0, says: /reject/iu },
  { args: ["approve", loadAware, "--hash", "HASH"], code: 0, says: /status load-aware-rebalancing --watch/u },
  { args: ["status", loadAware, "--wait"], code: 0, says: /load-aware-rebalancing: Completed/u },
  { args: ["drift"], code: 0, says: /Nothing has drifted/u },
  { args: ["doctor"], code: 0, says: /Nothing is blocking the pools/u },
  { args: ["ignore", loadAware], code: 0, says: /load-aware-rebalancing/u },
  { args: ["assets", "-n", namespace], code: 0, says: /\S/u },
  { args: ["render"], code: 0, says: /swap-enable +INCLUDED/u },
  { args: ["explain", "swap-enable"], code: 0, says: /accepts it \(dry run with your rights\)/u },
  { args: ["enable", "swap-enable", "--yes"], code: 0, says: /The platform controller is enabled for swap-enable/u },
  { args: ["version"], code: 0, says: /kubectl virt-advisor v/u },
  { args: ["console", "--port", "70000"], code: 1, says: /--port 70000: invalid port/u },
  { args: ["completion", "bash"], code: 0, says: /profiles/u },
];

/** As the help lists them. */
function verbsIn(help: string): readonly string[] {
  const [, list = ""] = /\nverbs:\n(.*?)\n\n/su.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gmu)].map(([, verb = ""]) => verb);
}

test("every verb does its work on the oldest supported Node", async () => {
  const options = { kubeconfig: testCluster.server.kubeconfig, env: { PATH: `${oldestNode}:/usr/bin:/bin` } };
  const { out: help } = await runPlugin(["help"], options);
  expect(everyVerb.map(({ args: [verb = ""] }) => verb).toSorted()).toEqual(verbsIn(help).toSorted());
  for (const { args, code, says } of everyVerb) {
    const [verb] = args;
    if (verb === "impact") await testCluster.configs.until(loadAware, ({ impact }) => impact !== undefined);
    const { planHash = "" } = await testCluster.configs.status(loadAware);
    const ended = await runPlugin(
      args.map((word) => (word === "HASH" ? planHash : word)),
      options,
    );
    expect(ended, `${args.join(" ")}: ${ended.out}${ended.err}`).toMatchObject({ code });
    expect(`${ended.out}${ended.err}`).toMatch(says);
    expect(ended.err).not.toMatch(/unexpected error|TypeError|Warning:|node:internal|Node\.js v/u);
  }
});
