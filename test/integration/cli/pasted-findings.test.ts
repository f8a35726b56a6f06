// Every command of the findings, the options and the obstacles of a rollout, pasted as it is printed, in a cluster with the named objects.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blockerRemedies, findingCatalogue, findRolloutObstacles, restoreCommand, startCommand } from "@virt/impact";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultTexts } from "../../../apps/simulator/src/testing/fault-texts.ts"; // oxlint-disable-line no-restricted-imports -- findings.test.ts beside it proves that these are printed
import { applyManifests } from "../../cluster/account.ts";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { loadAware } from "../advisor/cluster.ts";
import { pasteCommand } from "./pasted-command.ts";

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

/** A node of the simulator has no sshd: the stand-in checks that the node exists and what would run there. */
const sshScript = `#!/bin/sh
[ "$*" = "$1 journalctl -b -u kubelet" ] && [ "core@\${1#core@}" = "$1" ] || exit 255
exec kubectl get node "\${1#core@}"
`;

beforeAll(async () => {
  testCluster = await startTestCluster({
    crds: { kubevirts: "kubevirts", virtualmachines: "virtualmachines" },
    lacksRights: true,
  });
  const { server } = testCluster;
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  await testCluster.configs.until(loadAware, "Ignored");
  await applyManifests(server, objects.join("---\n"));
  await pasteCommand("kubectl version", server);
  writeFileSync(join(server.folder, "path", "ssh"), sshScript);
  chmodSync(join(server.folder, "path", "ssh"), 0o755);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

/** No node of the simulator has a kubelet: the command finds the pod of the deployment, and the API server has no log of it. */
const noLog = /\( ?pods\/log machine-config-controller\)/u;

/** What went wrong. Undefined: the command did its work. */
async function failureOf(command: string): Promise<string | undefined> {
  const { code, printed } = await pasteCommand(command, testCluster.server);
  const text = `${command}\n${printed}`;
  if (/ logs deploy\//u.test(command)) return noLog.test(text) ? undefined : text;
  const isPlan = command.startsWith("kubectl virt-advisor plan");
  const isOtherKind = command.includes("kubevirts") && !/kind: +KubeVirt$/imu.test(printed);
  const isEmpty = /not ?found|No resources found in (?:vms|apps)/iu.test(printed);
  return code === (isPlan ? 2 : 0) && !isOtherKind && !isEmpty ? undefined : text;
}

const none: readonly string[] = ["RebootOverdue"];
const findings = [...faultTexts].map(([title, { command }]) => ({ id: title.split(" ")[0] ?? "", command }));

test("every finding of the catalogue has a printed command, unless there is nothing to type", () => {
  const withCommand = findings.filter(({ command }) => command !== undefined).map(({ id }) => id);
  const wanted = [...withCommand, ...none, "TargetDeleted"];
  expect([...new Set(wanted)].toSorted()).toEqual(Object.keys(findingCatalogue).toSorted());
});

/** VMs are stopped last: other commands need them. */
const commands = [...new Set(findings.flatMap(({ command }) => command ?? []))].toSorted(
  (left, right) => Number(left.startsWith("virtctl stop")) - Number(right.startsWith("virtctl stop")),
);

test.each(commands)("`%s` of a finding runs as it is printed", { tags: ["thorough"] }, async (command) => {
  expect(await failureOf(command)).toBeUndefined();
});

const blockers = [
  { kind: "VirtualMachineInstance", namespace: "vms", name: "vm-1", reason: "NotMigratable" },
  { kind: "VirtualMachineInstance", namespace: "vms", name: "vm-1", reason: "NoTargetNode" },
  { kind: "Pod", namespace: "apps", name: "protected", reason: "PodDisruptionBudget" },
  { kind: "Pod", namespace: "apps", name: "twice", reason: "TwoBudgets" },
] as const;
const options = blockers.flatMap((entry) => blockerRemedies(entry).flatMap(({ command }) => command ?? []));

test.each([...new Set([...options, startCommand({ namespace: "vms", name: "vm-1" }) ?? ""])])(
  "`%s` of an option runs as it is printed",
  { tags: ["thorough"] },
  async (command) => {
    expect(await failureOf(command)).toBeUndefined();
  },
);

const holdups = [
  "Paused",
  "InvalidMaxUnavailable",
  "MaxUnavailableUsed",
  "Degraded",
  "KubeletConfigRefused",
  "NotReady",
  "Cordoned",
] as const;
const pool = { name: "worker", heldBy: "static-pods", held: 1 };
const obstacles = [
  ...holdups.map((holdup) => ({ pools: [{ ...pool, holdup }], held: 1 })),
  { pools: [pool], held: 1 },
  { pools: [], held: 1 },
].flatMap((impact) => findRolloutObstacles(impact as unknown as Parameters<typeof findRolloutObstacles>[0]));
const quoted = obstacles.flatMap(({ next }) =>
  [...next.matchAll(/'((?:oc|kubectl) [^']*)'/gu)].map(([, it = ""]) => it),
);

test.each([...new Set(quoted)])(
  "`%s` of an obstacle runs as it is printed",
  { tags: ["thorough"] },
  async (command) => {
    expect(await failureOf(command)).toBeUndefined();
  },
);

test("both ways out after a target was deleted run as they are printed", { tags: ["thorough"] }, async () => {
  const restore = restoreCommand({ config: loadAware, item: "enable-psi-metrics" }) ?? "";
  for (const command of [`kubectl virt-advisor plan ${loadAware}`, restore])
    expect(await failureOf(command)).toBeUndefined();
});
