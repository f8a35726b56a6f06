// The product with a real kube-controller-manager instead of a simulated one.
// @module-tag thorough

import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { succeeded } from "../integration/shipping/manifests.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ controllerManager: true });
});
afterAll(() => server.stop());

/** A failed controller retries after 5, 10, 20 and 40 seconds. */
const endsWithinMs = 120_000;

const kubectl = async (...args: readonly string[]) => succeeded(await server.kubectl(...args)).stdout;
const statusOf = async (path: string) => (await server.request({ path })).status;

test("the garbage collector deletes objects of a deleted owner", async () => {
  const owner = JSON.parse(await kubectl("create", "configmap", "owner", "--output=json")) as {
    readonly metadata: { readonly uid: string };
  };
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owned", ownerReferences } };
  const path = "/api/v1/namespaces/default/configmaps";
  expect((await server.request({ method: "POST", path, body })).status).toBe(201);
  await kubectl("delete", "configmap", "owner");
  await expect.poll(() => statusOf(`${path}/owned`), { timeout: endsWithinMs }).toBe(404);
});

test("the token controller fills a Secret with a valid token", async () => {
  await kubectl("create", "serviceaccount", "robot");
  const metadata = { name: "robot-token", annotations: { "kubernetes.io/service-account.name": "robot" } };
  const body = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/service-account-token", metadata };
  await server.request({ method: "POST", path: "/api/v1/namespaces/default/secrets", body });
  const token = async () => kubectl("get", "secret", "robot-token", "--output=jsonpath={.data.token}");
  await expect.poll(token, { timeout: endsWithinMs }).not.toBe("");
  const bearer = Buffer.from(await token(), "base64").toString();
  const who = await kubectl(
    "auth",
    "whoami",
    `--token=${bearer}`,
    "--kubeconfig=/dev/null",
    `--server=${server.url}`,
    "--insecure-skip-tls-verify",
    "--output=jsonpath={.status.userInfo.username}",
  );
  expect(who).toBe("system:serviceaccount:default:robot");
});

test("the install extends the view role, and its deletion leaves nothing", async () => {
  const overlay = inRepository("config", "default");
  const rules = () => kubectl("get", "clusterrole", "view", "--output=jsonpath={.rules[*].resources}");
  const before = await everything();

  await kubectl("apply", "--server-side", "-k", overlay);
  await expect.poll(rules).toContain("virtplatformconfigs");
  const published = "/api/v1/namespaces/virt-advisor-operator-system/configmaps/kube-root-ca.crt";
  await expect.poll(() => statusOf(published)).toBe(200);

  // Objects in the namespace can be gone before the namespace.
  await kubectl("delete", "--wait=false", "--ignore-not-found", "-k", overlay);
  await expect.poll(rules).not.toContain("virtplatformconfigs");
  await expect.poll(everything, { timeout: endsWithinMs }).toEqual(before);
}, 360_000);

/** Returns one line per listable object, except events, which expire. */
async function everything(): Promise<readonly string[]> {
  const names = await kubectl("api-resources", "--verbs=list", "--output=name");
  const kinds = names.split("\n").filter((name) => name !== "" && !name.startsWith("events"));
  const columns = "--output=custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name";
  const lines = await kubectl("get", kinds.join(","), "--all-namespaces", "--no-headers", columns);
  return lines.split("\n").toSorted();
}
