import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../../e2e/shell.ts";

const hangsAfterMs = 240_000;
const name = "virt-advisor-operator-controller-manager";
const namespace = "virt-advisor-operator-system";
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
const pods = `/api/v1/namespaces/${namespace}/pods`;

let server: Server;
let shell: Shell;
beforeAll(async () => {
  server = await startServer();
  shell = openShell(server);
});
afterAll(() => server.stop());

test("without IMG, make deploy prints the command and deploys nothing", async () => {
  const { code, stderr } = await shell.run("make deploy");
  expect(code).not.toBe(0);
  expect(stderr).toContain("IMG is not set. Name the image to deploy: make deploy IMG=<registry>/virt-operators:<tag>");
  expect((await server.request({ method: "GET", path: deployments })).status).toBe(404);
});

test("prints the progress and ends once the replicas are available", {
  timeout: hangsAfterMs,
}, async () => {
  const printed = join(server.folder, "printed-by-deploy");
  const running = shell.run(`make deploy OVERLAY=advisor IMG=registry.example/virt-operators:1 2>${printed}`);
  await expect.poll(generation).toBe(1);
  // Writes the status that a controller manager would write.
  await setStatus({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const read = () => readFileSync(printed, "utf8");
  await expect.poll(read).toContain(`... rollout of ${name}: 1 of 2 replicas available`);
  await setStatus({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 });
  expect({ ...(await running), printed: read() }).toMatchObject({
    code: 0,
    printed: expect.stringContaining(`ok: rollout of ${name}`),
  });
});

test("a blocked rollout fails with each pod's cause and next step", {
  timeout: hangsAfterMs,
}, async () => {
  await createPod("no-image", {
    containerStatuses: [container({ state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } } })],
  });
  const ended = { reason: "Error", exitCode: 2, message: "{}\nvirt-operator: unknown flag --x; see --help\n" };
  await createPod("crashing", {
    containerStatuses: [
      container({
        restartCount: 4,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: ended },
      }),
    ],
  });
  const message = "0/3 nodes are available: 3 node(s) had untolerated taint(s)";
  await createPod("homeless", {
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  });
  const refused = await refusalOf({ securityContext: { privileged: true } });
  const conditions = [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: refused }];
  const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 0, availableReplicas: 0 };
  await setStatus({ observedGeneration: 1, ...counts, conditions });
  const image = "registry.example/virt-operators:1";
  const { code, stderr } = await shell.run(`make deploy OVERLAY=advisor WAIT=1 IMG=${image}`);
  expect(code).not.toBe(0);
  expect(stderr).toContain(
    `Deployment ${namespace}/${name} is not available after 1 seconds: 0 of 2 replicas available.\n`,
  );
  const faults = [
    `pod no-image cannot pull its image: ImagePullBackOff (no such image)\n    Next: check that IMG exists and that the cluster can pull it`,
    `pod crashing is in a crash loop (exit code 2, restarted 4 times); last line of its log: virt-operator: unknown flag --x; see --help\n    Next: kubectl -n ${namespace} logs crashing --previous\n`,
    `pod homeless cannot be scheduled: ${message}\n    Next: free capacity`,
    `cannot create pods: ${refused}\n    Next: the pods were modified`,
  ];
  for (const fault of faults) expect(stderr).toContain(`  ${fault}`);
  expect(refused).toContain('violates PodSecurity "restricted');
  expect(stderr).toContain(`kubectl -n ${namespace} describe deployment ${name}`);
});

test("names a missing CRD and the command that installs it", {
  timeout: hangsAfterMs,
  tags: ["thorough"],
}, async () => {
  const image = "registry.example/virt-operators:2";
  const running = shell.run(`make deploy OVERLAY=advisor WAIT=20 IMG=${image}`);
  await expect.poll(generation).toBe(2);
  const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/virtplatformconfigs.advisor.kubevirt.io";
  expect((await server.request({ method: "DELETE", path: crd })).status).toBe(200);
  await setStatus({ observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 0, availableReplicas: 0 });
  const { code, stderr } = await running;
  expect(code).not.toBe(0);
  expect(stderr).toContain("  the CRD virtplatformconfigs.advisor.kubevirt.io is missing\n    Next: make install\n");
});

async function generation(): Promise<unknown> {
  const { body } = await server.request({ method: "GET", path: deployments });
  return (body as { metadata?: { generation?: number } }).metadata?.generation;
}

async function setStatus(status: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  const { status: code } = await server.request({
    method: "PATCH",
    path: `${deployments}/status`,
    body: { status },
    contentType,
  });
  expect(code).toBe(200);
}

function container(status: object): object {
  return { name: "manager", image: "any", imageID: "", ready: false, restartCount: 0, ...status };
}

async function createPod(pod: string, status: object): Promise<void> {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const spec = {
    containers: [{ name: "manager", image: "any", securityContext }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    serviceAccountName: name,
  };
  const metadata = { name: pod, labels: { "control-plane": "controller-manager" } };
  const body = { apiVersion: "v1", kind: "Pod", metadata, spec };
  expect((await server.request({ method: "POST", path: pods, body })).status).toBe(201);
  const contentType = "application/merge-patch+json";
  const path = `${pods}/${pod}/status`;
  expect((await server.request({ method: "PATCH", path, body: { status }, contentType })).status).toBe(200);
}

async function refusalOf(container: object): Promise<string> {
  const spec = { containers: [{ name: "manager", image: "any", ...container }], serviceAccountName: name };
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "refused" }, spec };
  const answer = await server.request({ method: "POST", path: pods, body });
  expect(answer.status).toBe(403);
  return (answer.body as { readonly message: string }).message;
}
