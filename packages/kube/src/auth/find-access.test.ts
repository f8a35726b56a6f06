import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findAccess } from "./find-access.ts";

const home = mkdtempSync(join(tmpdir(), "find-access-"));
afterAll(() => rmSync(home, { recursive: true }));

function kubeconfig(name: string): string {
  const path = join(home, name);
  const clusters = [{ name: "c", cluster: { server: `https://${name}.example` } }];
  const contexts = [{ name: "x", context: { cluster: "c" } }];
  writeFileSync(path, JSON.stringify({ clusters, contexts, "current-context": "x" }));
  return path;
}

function pod(name: string, files: readonly string[]): string {
  const folder = join(home, name);
  mkdirSync(folder);
  for (const file of files) writeFileSync(join(folder, file), `${file} of the pod\n`);
  return folder;
}

const inPod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
const podFolder = pod("pod", ["token", "ca.crt", "namespace"]);

test("prefers the flag to KUBECONFIG, the pod and the home folder", () => {
  const [given, listed] = [kubeconfig("given"), kubeconfig("listed")];
  mkdirSync(join(home, ".kube"));
  kubeconfig(join(".kube", "config"));
  const server = (...args: Parameters<typeof findAccess>) => findAccess(...args).server;
  expect(server({ env: { KUBECONFIG: listed, HOME: home, ...inPod }, kubeconfig: given, podFolder })).toBe(
    "https://given.example",
  );
  expect(server({ env: { KUBECONFIG: `/missing:${listed}`, HOME: home, ...inPod }, podFolder })).toBe(
    "https://listed.example",
  );
  expect(server({ env: { HOME: home, ...inPod }, podFolder })).toBe("https://10.0.0.1:6443");
  expect(server({ env: { HOME: home } })).toBe("https://.kube/config.example");
  expect(server({ env: { KUBECONFIG: "", HOME: home } })).toBe("https://.kube/config.example");
});

test("a CLI prefers the kubeconfig to the pod, like kubectl", () => {
  const folder = join(home, "person");
  mkdirSync(join(folder, ".kube"), { recursive: true });
  kubeconfig(join("person", ".kube", "config"));
  const sources = { env: { HOME: folder, ...inPod }, podFolder, isPersonal: true };
  expect(findAccess(sources).server).toBe("https://person/.kube/config.example");
  expect(findAccess({ ...sources, env: { HOME: "/nowhere", ...inPod } }).server).toBe("https://10.0.0.1:6443");
});

test("the first file of KUBECONFIG chooses the context of any file", () => {
  const chooser = join(home, "chooser");
  writeFileSync(chooser, "current-context: x\n");
  const env = { KUBECONFIG: `${chooser}:${kubeconfig("second")}:${kubeconfig("third")}` };
  expect(findAccess({ env })).toMatchObject({ server: "https://second.example", context: "x" });
});

test("reads token, CA and namespace of a pod, and brackets IPv6 addresses", () => {
  expect(findAccess({ env: { KUBERNETES_SERVICE_HOST: "fd00::1" }, podFolder })).toEqual({
    server: "https://[fd00::1]:443",
    authority: { file: join(podFolder, "ca.crt") },
    isInsecure: false,
    bearer: { kind: "token-file", file: join(podFolder, "token") },
    namespace: "namespace of the pod",
    source: "the pod's ServiceAccount",
  });
});

const refusals: readonly (readonly [reason: string, env: NodeJS.ProcessEnv, message: string])[] = [
  [
    "a missing configuration",
    { HOME: "/nowhere" },
    "no cluster configured: KUBECONFIG is not set, the process does not run in a pod, and there is no /nowhere/.kube/config",
  ],
  [
    "a missing KUBECONFIG",
    { KUBECONFIG: "/nowhere/a:/nowhere/b" },
    "cannot read kubeconfig /nowhere/a, /nowhere/b: no such file",
  ],
  ["a folder as KUBECONFIG", { KUBECONFIG: "/" }, "cannot read kubeconfig /: it is a directory"],
  ["a pod without a token", inPod, "is automountServiceAccountToken disabled?"],
];

test.each(refusals)("reports %s in one line", (_reason, env, message) => {
  expect(() => findAccess({ env, podFolder: pod(`bare-${Math.random()}`, []) })).toThrow(message);
});
