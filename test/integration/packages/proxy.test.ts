import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { freePorts, inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { crdFile } from "../crd-objects.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile]);
  await server.kubectl("create", "namespace", "virt-advisor-operator-system");
});

afterAll(() => server.stop());

test("connects to the API server through HTTPS_PROXY", async () => {
  const proxy = await startProxy();
  await runReady({ HTTPS_PROXY: proxy.url });
  expect(new Set(proxy.targets)).toEqual(new Set([new URL(server.url).host]));
});

test("connects directly to hosts in NO_PROXY", async () => {
  const proxy = await startProxy();
  await runReady({ HTTPS_PROXY: proxy.url, NO_PROXY: new URL(server.url).hostname });
  expect(proxy.targets).toEqual([]);
});

async function runReady(env: NodeJS.ProcessEnv): Promise<void> {
  const [port = 0] = await freePorts(1);
  const flags = [
    "--controllers=advisor",
    `--kubeconfig=${server.kubeconfig}`,
    `--health-probe-bind-address=127.0.0.1:${port}`,
  ];
  const program = inRepository("dist", "virt-operator.mjs");
  const child = spawn(process.execPath, [program, ...flags], { env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady).toBe(true);
}

async function startProxy() {
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, client) => {
    targets.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return { targets, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}
