// Every command that the command line and the pages of the console print, pasted as it is printed, in a cluster with the named objects.
// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { assetStrings } from "../../../apps/console/src/pages/asset-strings.ts"; // oxlint-disable-line no-restricted-imports -- what the page prints
import { annotateCommand } from "../../../apps/console/src/pages/assets/target-name.ts"; // oxlint-disable-line no-restricted-imports -- what the page prints
import { applyManifests } from "../../cluster/account.ts";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { higherDensity, loadAware } from "../advisor/cluster.ts";
import { pasteCommand } from "./pasted-command.ts";
import { type PastedTemplate, printedCommands } from "./printed-commands.ts";

const plugin = "kubectl virt-advisor";
const reportNamespace = "virt-platform-operator-system";
const shownHash = `$(kubectl get vpconf ${loadAware} -o jsonpath={.status.planHash} | cut -c1-12)`;
const hyperConverged = { kind: "HyperConverged", namespace: "openshift-cnv", name: "kubevirt-hyperconverged" };
const atTerminal = (typed: string, command: string) => `echo ${typed} | script -qec '${command}' /dev/null`;

/** In the order of a plan's life. */
const hints: readonly PastedTemplate[] = [
  { template: `${plugin} help`, commands: [`${plugin} help`] },
  { template: `${plugin} VERB --help`, commands: [`${plugin} approve --help`] },
  { template: `${plugin} <verb.name> --help`, commands: [`${plugin} plan --help`] },
  { template: `${plugin} <name> --help`, commands: [`${plugin} status --help`] },
  { template: `${plugin} profiles`, commands: [`${plugin} profiles`] },
  { template: `${plugin} plan <`, commands: [`${plugin} plan ${loadAware}`], code: 2 },
  {
    template: `${plugin} plan <name> --set KEY=VALUE`,
    commands: [`${plugin} plan ${loadAware} --set mode=Predictive`],
    code: 2,
  },
  { template: `${plugin} diff <name>`, commands: [`${plugin} diff ${loadAware}`], code: 2 },
  { template: `${plugin} impact <`, commands: [`${plugin} impact ${loadAware}`] },
  { template: `${plugin} status <name>`, commands: [`${plugin} status ${loadAware}`] },
  { template: `${plugin} status <name> --watch`, commands: [`${plugin} status ${loadAware} --watch`], code: 130 },
  {
    template: `${plugin} approve <name> --hash <planName(planHash)>`,
    commands: [`${plugin} approve ${loadAware} --hash ${shownHash}`],
  },
  { template: `${plugin} explain <`, commands: [`${plugin} explain aaq-operator`] },
  {
    template: `${plugin} assets -n NAMESPACE, or ${plugin} render`,
    commands: [`${plugin} assets -n ${reportNamespace}`, `${plugin} render`],
  },
  { template: `${plugin} enable`, commands: [atTerminal("yes", `${plugin} enable`)] },
  { template: `${plugin} status, or`, commands: [`${plugin} status`] },
  { template: `${plugin} assets`, commands: [`${plugin} assets`] },
  { template: `${plugin} console`, commands: [`${plugin} console`] },
  {
    template: "kubectl auth can-i <verb> <kind>",
    commands: ["kubectl auth can-i list virtplatformconfigs.advisor.kubevirt.io"],
  },
  {
    template: "kubectl apply -f config/samples/loadaware_sample.yaml",
    commands: ["kubectl apply -f config/samples/loadaware_sample.yaml"],
  },
  {
    template: "kubectl apply --server-side -f dist/install.yaml",
    commands: ["kubectl apply --server-side -f dist/install.yaml"],
  },
  {
    template: "kubectl annotate --overwrite <type> <name>",
    commands: assetStrings.overrideCommands.flatMap(({ annotation }) => {
      const command = `${annotateCommand(hyperConverged)} platform.kubevirt.io/${filledIn(annotation)}`;
      const other = command.replace("eviction", "uninstall"); // on an object that has the annotation already
      return [command, other, `${annotateCommand(hyperConverged)} ${keyOf(annotation)}-`];
    }),
  },
];

function filledIn(annotation: string): string {
  return annotation.replace("/spec/…", "/spec/evictionStrategy").replace("…", '"None"');
}

function keyOf(annotation: string): string {
  return `platform.kubevirt.io/${annotation.split("=")[0] ?? ""}`;
}

/** By the next step of a profile, of which the sources have the words apart: packages/client/src/next-step.ts. */
const nextSteps = [["drift"], ["doctor"]].map(([verb]) => `${plugin} ${verb} ${loadAware}`);

const left = { asset: "swap-enable", group: "swap", target: "MachineConfig x", reason: "NotActivated", details: "" };
const report = {
  version: 1,
  activation: { mode: "opt-in", isActive: false },
  hco: null,
  objects: [],
  exclusions: [left],
};
const manifests = `apiVersion: v1
kind: Namespace
metadata: {name: ${reportNamespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: virt-platform-operator-report, namespace: ${reportNamespace}}
data: {report.json: '${JSON.stringify(report)}'}
`;
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  for (const name of [loadAware, higherDensity]) await testCluster.configs.until(name, "Ignored");
  await applyManifests(testCluster.server, manifests);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

/** The completion script and the man page are read by programs, and two texts show the name of the program alone. */
const printed = printedCommands([
  "apps/{cli,console}/src/**/*.ts",
  "packages/{client,console-server,reads}/src/**/*.ts",
]).filter(
  ({ file, command }) =>
    !/completion-script|man-page/u.test(file) &&
    !/^(?:kubectl|oc) (?:virt-advisor(?:$| <version>| VERB \[|<| <titleOf)|login|takes)/u.test(command),
);

test.each(printed)("`$command` of $file is pasted by a test here", ({ command }) => {
  expect(hints.filter(({ template }) => command.startsWith(template))).not.toEqual([]);
});

test.each(hints)("$template is still printed", ({ template }) => {
  expect(printed.filter(({ command }) => command.startsWith(template))).not.toEqual([]);
});

test.each(hints.flatMap(({ commands, code = 0 }) => commands.map((command) => ({ command, code }))))(
  "`$command` runs as it is printed",
  async ({ command, code }) => {
    expect(await pasteCommand(command, testCluster.server)).toMatchObject({ code });
  },
);

test.each(nextSteps)("the next step `%s` runs as it is printed", async (command) => {
  await testCluster.configs.until(loadAware, "Completed");
  expect(await pasteCommand(command, testCluster.server)).toMatchObject({ code: 0 });
});

test.each([
  { words: ["plan", "load"], completed: loadAware },
  { words: ["explain", "swap"], completed: "swap-enable" },
  { words: ["enable", ""], completed: "swap-enable" },
])("bash completes $words from the cluster", async ({ words, completed }) => {
  const script = `source <(kubectl-virt_advisor completion bash)
    COMP_WORDS=(kubectl-virt_advisor ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}
    _kubectl_virt_advisor; echo "\${COMPREPLY[@]}"`;
  expect(await pasteCommand(`bash -c '${script}'`, testCluster.server)).toEqual({ code: 0, printed: `${completed}\n` });
});
