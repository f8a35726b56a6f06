import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../../e2e/shell.ts";
import { configClientFor } from "../../support/config-client.ts";
import { mockCrd } from "../../support/test-cluster.ts";
import { succeeded } from "./manifests.ts";
import { endNamespaces } from "./namespace-controller.ts";

const installer = inRepository("dist", "install.yaml");
const plan = "load-aware-rebalancing";

const hangsAfterMs = 240_000;

let server: Server;
let shell: Shell;
beforeAll(async () => {
  server = await startServer();
  shell = openShell(server);
  await server.installCrds([mockCrd("machineconfigs"), mockCrd("servicemonitors"), mockCrd("prometheusrules")]);
  succeeded(await server.kubectl("create", "namespace", "openshift-cnv"));
  succeeded(await server.kubectl("create", "configmap", "of-a-user", "--namespace=openshift-cnv"));
});
afterAll(() => server.stop());

test("a removal leaves only earlier objects and those that operators applied", {
  timeout: hangsAfterMs,
}, async () => {
  const before = await everything();
  succeeded(await server.kubectl("apply", "-f", installer));
  succeeded(await shell.run("make deploy OVERLAY=example-profile WAIT=0 IMG=example@sha256:0123"));
  await applyAsOperator();
  await expect
    .poll(() =>
      configClientFor(server)
        .create(plan)
        .then(() => "made", String),
    )
    .toBe("made");

  const undeployed = succeeded(await shell.run("make undeploy"));
  expect(undeployed.stdout.split("Left unchanged in the cluster:\n")[1]).toBe(
    `  the CRD and the configs ${plan} (to remove them: make uninstall)\n  MachineConfig 99-worker-psi-karg (virt-advisor-operator)\n`,
  );
  await endNamespaces(server);

  const uninstalled = await shell.run("make uninstall");
  expect(uninstalled.stdout).toContain(`Removing the CRD also removes these VirtPlatformConfigs: ${plan}\n`);
  const isApplied = (line: string) => line.startsWith("MachineConfig <none> 99-worker-psi-karg ");
  const left = async () => {
    const after = await everything();
    return { applied: after.filter(isApplied).length, others: after.filter((line) => !isApplied(line)) };
  };
  // The API server stops serving the kind shortly after its CRD is gone.
  await expect.poll(left).toEqual({ applied: 1, others: before });
});

test("uninstall and undeploy succeed if nothing is left", { timeout: hangsAfterMs }, async () => {
  for (const target of ["uninstall", "undeploy"]) {
    const { code, stderr } = await shell.run(`make ${target}`);
    expect({ target, code, stderr }).toEqual({ target, code: 0, stderr: "" });
  }
});

test("a reinstallation uses the given image", { timeout: hangsAfterMs }, async () => {
  expect((await shell.run("make install")).stdout).toContain(
    "virtplatformconfigs.advisor.kubevirt.io serverside-applied",
  );
  const { code, stderr } = await shell.run("make deploy WAIT=0 OVERLAY=advisor IMG=example@sha256:4567");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const images = "--output=jsonpath={.items[*].spec.template.spec.containers[*].image}";
  expect((await server.kubectl("get", "deployments", "-A", images)).stdout).toBe("example@sha256:4567");
});

test("undeploy removes a single controller and lists what remains", {
  timeout: hangsAfterMs,
}, async () => {
  const { stdout } = succeeded(await shell.run("make undeploy OVERLAY=platform"));
  expect(stdout.split("Left unchanged in the cluster:\n")[1]).toBe(
    [
      "  the advisor controller (to remove it: make undeploy OVERLAY=advisor)",
      "  the CRD without configs (to remove it: make uninstall)",
      "  MachineConfig 99-worker-psi-karg (virt-advisor-operator)",
      "",
    ].join("\n"),
  );
});

async function applyAsOperator(): Promise<void> {
  const apiVersion = "machineconfiguration.openshift.io/v1";
  const name = "99-worker-psi-karg";
  const body = { apiVersion, kind: "MachineConfig", metadata: { name }, spec: { kernelArguments: ["psi=1"] } };
  const path = `/apis/${apiVersion}/machineconfigs/${name}?fieldManager=virt-advisor-operator`;
  const contentType = "application/apply-patch+yaml";
  expect((await server.request({ method: "PATCH", path, body, contentType })).status).toBe(201);
}

/** Returns one line per listable object, except events, which expire. */
async function everything(): Promise<readonly string[]> {
  const { stdout } = succeeded(await server.kubectl("api-resources", "--verbs=list", "--output=name"));
  const kinds = stdout.split("\n").filter((name) => name !== "" && !name.startsWith("events"));
  const columns = "KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,UID:.metadata.uid";
  const flags = ["--all-namespaces", "--no-headers", `--output=custom-columns=${columns}`];
  const { stdout: lines } = succeeded(await server.kubectl("get", kinds.join(","), ...flags));
  return lines
    .split("\n")
    .map((line) => line.split(/\s+/).join(" "))
    .toSorted();
}
