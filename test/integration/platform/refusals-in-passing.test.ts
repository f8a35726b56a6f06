import { at } from "@virt/engine";
import { type FaultProxy, freePorts, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../../world/account.ts";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let golden: Golden;
let proxy: FaultProxy;
let operator: RunningProgram;
let metricsUrl: string;

beforeAll(async () => {
  golden = await startGolden();
  const { server } = golden.world;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const [port] = await freePorts(1);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const metrics = [`--metrics-bind-address=127.0.0.1:${port}`, "--metrics-secure=false"];
  operator = await golden.world.startOperator({ flags: ["--activation=always", ...metrics], kubeconfig });
  await untilConverged(golden);
});
afterAll(async () => {
  await golden[Symbol.asyncDispose]();
  await proxy.stop();
});

async function compliance(): Promise<string | undefined> {
  const text = await (await fetch(metricsUrl)).text();
  return /^kubevirt_autopilot_compliance_status\{kind="NodeHealthCheck".*\} (\d)$/m.exec(text)?.[1];
}

test("an object that others change whenever it is written is out of order once that lasts, and in order afterwards", async () => {
  await expect.poll(compliance).toBe("1");
  const writes = { on: "every", matching: { verb: "apply", resource: "nodehealthchecks", isDryRun: false } } as const;
  proxy.arm({ name: "always too late", trigger: writes, fault: { kind: "answer", status: 409 } });
  await golden.edit(check, { spec: { minHealthy: "10%" } });
  await golden.until(async () => expect(await compliance()).toBe("0"));
  const lines = operator.log.filter(({ msg }) => msg === "an object cannot be kept");
  expect(lines.map(({ why }) => why)).toContain("it changed while it was looked at");
  expect(lines.every(({ times }) => Number(times) >= 3)).toBe(true); // before, nobody is troubled with it
  proxy.disarm();
  await golden.until(async () => expect(at(await golden.read(check), "spec", "minHealthy")).toBe("51%"));
  await expect.poll(compliance).toBe("1");
});
