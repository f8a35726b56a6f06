// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { deletedTargetCommands, findingPastes, obstacleCommands, optionCommands } from "./finding-pastes.ts";
import { pasteCommand } from "./pasted-command.ts";
import { noLog } from "./tool-pastes.ts";

let testCluster: TestCluster;

const pod = (namespace: string, name: string) => `apiVersion: v1
kind: Pod
metadata: {namespace: ${namespace}, name: ${name}, labels: {app: ${name}}}
spec: {nodeName: worker-1, terminationGracePeriodSeconds: 0, containers: [{name: main, image: none}]}
`;
const objects = [
  ...["apps", "descheduler", "openshift-machine-config-operator"].flatMap((name) => [
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`,
    `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: ${name}}\n`,
  ]),
  ...["protected", "twice", "bare"].map((name) => pod("apps", name)),
  pod("openshift-machine-config-operator", "machine-config-controller"),
  `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: apps, name: protected}
spec: {minAvailable: 1, selector: {matchLabels: {app: protected}}}
`,
  `apiVersion: apps/v1
kind: Deployment
metadata: {namespace: openshift-machine-config-operator, name: machine-config-controller}
spec:
  selector: {matchLabels: {app: machine-config-controller}}
  template:
    metadata: {labels: {app: machine-config-controller}}
    spec: {containers: [{name: main, image: none}]}
`,
  `apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: static-pods}
spec: {}
`,
  `apiVersion: operator.openshift.io/v1
kind: KubeDescheduler
metadata: {name: cluster, namespace: descheduler}
spec: {managementState: Managed}
`,
  `apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: large-0, namespace: vms}
spec: {domain: {devices: {}, memory: {guest: 8Gi}}}
`,
];

beforeAll(async () => {
  testCluster = await startAdvisedCluster({ crds: { virtualmachines: "virtualmachines" }, lacksRights: true });
  await applyManifests(testCluster.server, objects.join("---\n"));
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function failureOf(command: string): Promise<string | undefined> {
  const { code, printed } = await pasteCommand(command, testCluster.server);
  const text = `${command}\n${printed}`;
  if (/ logs deploy\//u.test(command)) return noLog.test(text) ? undefined : text;
  const isPlan = command.startsWith("kubectl virt-advisor plan");
  const isOtherKind = command.includes("kubevirts") && !/kind: +KubeVirt$/imu.test(printed);
  const isEmpty = /not ?found|No resources found in (?:vms|apps)/iu.test(printed);
  return code === (isPlan ? 2 : 0) && !isOtherKind && !isEmpty ? undefined : text;
}

test.each(findingPastes)("`%s` of a finding runs as printed", async (command) => {
  expect(await failureOf(command)).toBeUndefined();
});

test.each(optionCommands)("`%s` of an option runs as printed", async (command) => {
  expect(await failureOf(command)).toBeUndefined();
});

test.each(obstacleCommands)("`%s` of an obstacle runs as printed", async (command) => {
  expect(await failureOf(command)).toBeUndefined();
});

test("both remedies for a deleted target run as printed", async () => {
  for (const command of deletedTargetCommands) expect(await failureOf(command)).toBeUndefined();
});
