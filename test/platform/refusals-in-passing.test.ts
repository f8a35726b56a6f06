import { at } from "@virt/objects";
import { type FaultProxy, freePorts, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let fullCluster: FullCluster;
let proxy: FaultProxy;
let operator: RunningProgram;
let metricsUrl: string;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const [port] = await freePorts(1);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  operator = await fullCluster.testCluster.startOperator({ flags: ["--activation=always", ...metrics], kubeconfig });
  await untilConverged(fullCluster);
});
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

async function compliance(): Promise<string | undefined> {
  const text = await (await fetch(metricsUrl)).text();
  return /^kubevirt_autopilot_compliance_status\{kind="NodeHealthCheck".*\} (\d)$/m.exec(text)?.[1];
}

test("lasting write conflicts make an object out of sync until they end", async () => {
  await expect.poll(compliance).toBe("1");
  const writes = { on: "every", matching: { verb: "apply", resource: "nodehealthchecks", isDryRun: false } } as const;
  proxy.arm({ name: "always too late", trigger: writes, fault: { kind: "answer", status: 409 } });
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } });
  await fullCluster.until(async () => expect(await compliance()).toBe("0"));
  const lines = () => operator.log.filter(({ msg }) => msg === "reconciliation failed");
  await expect.poll(() => lines().map(({ why }) => why)).toContain("the object was modified concurrently");
  expect(lines().every(({ times }) => Number(times) >= 3)).toBe(true); // reported from the third time on
  proxy.disarm();
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  await expect.poll(compliance).toBe("1");
});
