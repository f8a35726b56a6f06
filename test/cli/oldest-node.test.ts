// Every verb of the plugin on the oldest supported Node, with a plan to show, reject and approve.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadAware } from "../support/advisor.ts";
import { followPlugin, oldestNode, type PluginOptions, runPlugin } from "../support/plugin.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { storeReport } from "./platform-objects.ts";

let testCluster: TestCluster;
const namespace = "virt-advisor-operator-system";

beforeAll(async () => {
  testCluster = await startAdvisedCluster();
  await storeReport(testCluster.server, namespace);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const onOldestNode = (env: Readonly<Record<string, string>> = {}): PluginOptions => ({
  kubeconfig: testCluster.server.kubeconfig,
  env: { PATH: `${oldestNode}:/usr/bin:/bin`, ...env },
});

type VerbRun = { readonly args: readonly string[]; readonly code: number; readonly says: RegExp };

/** All verbs except the console, in the order of a plan's life. HASH stands for the current plan. */
const everyVerb: readonly VerbRun[] = [
  { args: ["profiles"], code: 0, says: /load-aware-rebalancing +Ignore/u },
  { args: ["plan", loadAware], code: 2, says: /Next: review the diff/u },
  { args: ["diff", loadAware], code: 2, says: /\+ {2}- psi=1/u },
  { args: ["impact", loadAware], code: 0, says: /Reboots \d+ nodes \(worker pool/u },
  { args: ["reject", loadAware, "--reason", "not before Friday"], code: 0, says: /reject/iu },
  { args: ["approve", loadAware, "--hash", "HASH"], code: 0, says: /status load-aware-rebalancing --watch/u },
  { args: ["status", loadAware, "--wait"], code: 0, says: /load-aware-rebalancing: Completed/u },
  { args: ["drift"], code: 0, says: /Nothing has drifted/u },
  { args: ["doctor"], code: 0, says: /Nothing is blocking the pools/u },
  { args: ["ignore", loadAware], code: 0, says: /load-aware-rebalancing/u },
  { args: ["assets", "-n", namespace], code: 0, says: /\S/u },
  { args: ["enable", "swap-enable", "--yes"], code: 0, says: /The platform controller is enabled for swap-enable/u },
  { args: ["adopt"], code: 2, says: /adopt/iu },
  { args: ["render"], code: 0, says: /swap-enable +INCLUDED/u },
  { args: ["explain", "swap-enable"], code: 0, says: /accepts it \(dry run with your permissions\)/u },
  { args: ["version"], code: 0, says: /kubectl virt-advisor v/u },
  { args: ["completion", "bash"], code: 0, says: /profiles/u },
];

function verbsIn(help: string): readonly string[] {
  const [, list = ""] = /\nverbs:\n(.*?)\n\n/su.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gmu)].map(([, verb = ""]) => verb);
}

test("every verb works on the oldest supported Node", async () => {
  const { out: help } = await runPlugin(["help"], onOldestNode());
  expect([...everyVerb.map(({ args: [verb = ""] }) => verb), "console"].toSorted()).toEqual(verbsIn(help).toSorted());
  for (const { args, code, says } of everyVerb) {
    const [verb] = args;
    if (verb === "impact") await testCluster.configs.until(loadAware, ({ impact }) => impact !== undefined);
    const { planHash = "" } = await testCluster.configs.status(loadAware);
    const ended = await runPlugin(
      args.map((word) => (word === "HASH" ? planHash : word)),
      onOldestNode(),
    );
    expect(ended, `${args.join(" ")}: ${ended.out}${ended.err}`).toMatchObject({ code });
    expect(`${ended.out}${ended.err}`).toMatch(says);
    expect(ended.err).not.toMatch(nodeFault);
  }
});

const nodeFault = /unexpected error|TypeError|Warning:|node:internal|Node\.js v/u;

test("the console serves its pages and the cluster on the oldest supported Node", async () => {
  const served = followPlugin(["console", "--port", "0"], onOldestNode());
  await expect.poll(served.out).toMatch(/^Console: http:\S+\n/u);
  const url = served.out().slice("Console: ".length).trim();
  const opened = await fetch(url, { redirect: "manual" });
  expect(opened.status).toBe(303);
  const headers = {
    cookie: opened.headers.getSetCookie()[0]?.split(";")[0] ?? "",
    "x-virt-console-key": opened.headers.get("location")?.replace("/#key=", "") ?? "",
  };
  const answerTo = (path: string) => fetch(new URL(path, url), { headers });
  const script = await readFile(inRepository("dist", "console", "console.js"), "utf8");
  expect(await (await answerTo("/console.js")).text()).toBe(script);
  const config = await answerTo(`/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${loadAware}`);
  expect(await config.json()).toMatchObject({ metadata: { name: loadAware } });
  const stream = await answerTo("/stream?of=configs");
  await untilRead(stream, loadAware);
  served.interrupt();
  expect(await served.ended).toMatchObject({ code: 0, err: expect.not.stringMatching(nodeFault) as string });
});

async function untilRead({ body }: Response, wanted: string): Promise<void> {
  let read = "";
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    read += new TextDecoder().decode(piece);
    if (read.includes(wanted)) return;
  }
  throw new Error(`the stream ended without ${wanted}: ${read}`);
}

async function onChangedNode(name: string, script: string): Promise<PluginOptions> {
  const file = join(testCluster.server.folder, `${name}.cjs`);
  await writeFile(file, script);
  return onOldestNode({ NODE_OPTIONS: `--require=${file}` });
}

test("an unexpected error is one line, and --debug adds the stack", async () => {
  const script = `Map.groupBy = () => { throw new TypeError("Map.groupBy is not a function"); };`;
  const broken = await onChangedNode("without-group-by", script);
  for (const args of [["doctor"], ["render"], ["explain", "swap-enable"]]) {
    const { code, out, err } = await runPlugin(args, broken);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      /^unexpected error: TypeError: Map\.groupBy is not a function\. This is a bug\. Run the command again with --debug and report the output at https:\S+\/issues\n$/u,
    );
  }
  const debugged = await runPlugin(["doctor", "--debug"], broken);
  expect(debugged.err).toMatch(/^unexpected error: .*\nkubectl virt-advisor v.*, Node v20\..*\n.*\n +at /su);
});

test("an unsupported Node fails with the required version", async () => {
  const older = await onChangedNode("without-builtins", "delete process.getBuiltinModule;");
  expect(await runPlugin(["version", "--client"], older)).toEqual({
    code: 1,
    out: "",
    err: "error: kubectl virt-advisor needs Node 20.16 or later, and this is v20.16.0\n",
  });
});
