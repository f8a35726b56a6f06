// Every command in a condition, an event, a warning or a piece of advice, pasted as it is printed, in a cluster with the named objects.
// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { sources } from "../../../tools/texts/collect.ts";
import { applyManifests } from "../../cluster/account.ts";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { higherDensity, loadAware } from "../advisor/cluster.ts";
import { pasteCommand } from "./pasted-command.ts";
import { type PastedTemplate, printedCommands } from "./printed-commands.ts";

const plugin = "kubectl virt-advisor";
const hco = "hco kubevirt-hyperconverged -n openshift-cnv";
const prefix = "platform.kubevirt.io/";
const rival = "/spec/profileCustomizations/devLowNodeUtilizationThresholds";
const webhooks = "kubectl get mutatingwebhookconfigurations";
const descheduler = "kubedescheduler cluster -n openshift-kube-descheduler-operator";

const texts: readonly PastedTemplate[] = [
  {
    template: "kubectl apply --server-side -f bundle/admission.yaml",
    commands: [
      "kubectl apply --server-side -f bundle/admission.yaml",
      "kubectl apply --server-side -k config/admission",
    ],
  },
  {
    template: "kubectl describe <kind.toLowerCase()> <name> -n <namespace>",
    commands: [`kubectl describe ${descheduler}`],
  },
  {
    template: "kubectl label namespace <monitoringRef.name> <key>=<value>",
    commands: ["kubectl label namespace openshift-kube-descheduler-operator openshift.io/cluster-monitoring=true"],
  },
  {
    template: "kubectl patch <kind.toLowerCase()> <name> -n <namespace> --type=json",
    commands: [`kubectl patch ${descheduler} --type=json -p '[{"op":"remove","path":"${rival}"}]'`],
  },
  {
    template: "kubectl delete daemonset wasp-agent -n <namespace>",
    commands: ["kubectl delete daemonset wasp-agent -n default"],
  },
  {
    template: "kubectl annotate --overwrite <target> <autopilotAnnotation>=<value>",
    commands: [`kubectl annotate --overwrite ${hco} ${prefix}autopilot=swap-enable`],
  },
  { template: `${webhooks} (and mutatingadmissionpolicies`, commands: [webhooks] },
  { template: `${webhooks},mutatingadmissionpolicies`, commands: [`${webhooks},mutatingadmissionpolicies`] },
  {
    template: "kubectl virt-advisor plan <profile>",
    commands: [`${plugin} plan ${loadAware}`, `${plugin} plan ${higherDensity}`],
    code: 2,
  },
  {
    template: "kubectl patch vpconf <profile> --type=merge -p '<JSON.stringify({ spec })>'",
    commands: [
      `kubectl patch vpconf ${loadAware} --type=merge -p '{"spec":{"action":"Ignore"}}' && kubectl patch vpconf ${loadAware} --type=merge -p '{"spec":{"action":"DryRun"}}'`,
    ],
  },
  { template: "kubectl virt-advisor diff", commands: [`${plugin} diff`], code: 2 },
  {
    template: "kubectl config use-context NAME",
    commands: ["kubectl config use-context $(kubectl config get-contexts -o name)"],
  },
  {
    template: "kubectl annotate <kubectlArguments(ref)> <key>-",
    commands: [`kubectl annotate hyperconverged kubevirt-hyperconverged -n openshift-cnv ${prefix}mode-`],
  },
  {
    template: "kubectl annotate hco <hco.name> -n <hco.namespace>",
    commands: [
      `kubectl annotate ${hco} ${prefix}enable-swap=true --overwrite`,
      `kubectl annotate ${hco} ${prefix}enable-swap- && kubectl annotate ${hco} ${prefix}enable-swap=true`,
      `kubectl annotate ${hco} ${prefix}autopilot-`,
    ],
  },
  {
    template: "kubectl annotate hyperconverged <name> -n <namespace> --overwrite <key>=true",
    commands: [
      `kubectl annotate hyperconverged kubevirt-hyperconverged -n openshift-cnv --overwrite ${prefix}autopilot=true`,
    ],
  },
  {
    template: "kubectl virt-advisor enable <asset.name>",
    commands: [`kubectl annotate ${hco} ${prefix}autopilot- && ${plugin} enable node-health-check --yes`],
  },
];

const objects = `apiVersion: operator.openshift.io/v1
kind: KubeDescheduler
metadata: {name: cluster, namespace: openshift-kube-descheduler-operator}
spec: {managementState: Managed, profileCustomizations: {devLowNodeUtilizationThresholds: Low}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: wasp-agent, namespace: default} # elsewhere the simulator deletes it, as the HyperConverged operator does
spec:
  selector: {matchLabels: {app: wasp-agent}}
  template:
    metadata: {labels: {app: wasp-agent}}
    spec: {containers: [{name: main, image: none}]}
`;
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  for (const name of [loadAware, higherDensity]) await testCluster.configs.until(name, "Ignored");
  await applyManifests(testCluster.server, objects);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const printed = printedCommands(sources.filter((glob) => !glob.startsWith("tools/")));

test.each(printed)("`$command` of $file is pasted by a test here", ({ command }) => {
  expect(texts.filter(({ template }) => command.startsWith(template))).not.toEqual([]);
});

test.each(texts)("$template is still printed", ({ template }) => {
  expect(printed.filter(({ command }) => command.startsWith(template))).not.toEqual([]);
});

test.each(texts.flatMap(({ commands, code = 0 }) => commands.map((command) => ({ command, code }))))(
  "`$command` runs as it is printed",
  async ({ command, code }) => {
    const pasted = await pasteCommand(command, testCluster.server);
    expect(pasted).toMatchObject({ code });
  },
);
