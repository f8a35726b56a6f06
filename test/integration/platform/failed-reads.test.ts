import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../../world/account.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";

let golden: Golden;
let proxy: FaultProxy;
beforeAll(async () => {
  golden = await startGolden();
  proxy = await startFaultProxy({ server: golden.world.server });
});
afterAll(async () => {
  await golden[Symbol.asyncDispose]();
  await proxy.stop();
});

const definitions = "customresourcedefinitions";
const asked = () => proxy.trace().filter(({ verb, resource }) => verb === "get" && resource === definitions).length;

test("while schemas cannot be read nothing is applied, and when they can everything is, without anybody's help", async () => {
  const { server } = golden.world;
  proxy.arm({
    name: "no definitions",
    trigger: { on: "every", matching: { verb: "get", resource: definitions } },
    fault: { kind: "answer", status: 500 },
  });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await golden.world.startOperator({ flags: ["--activation=always"], kubeconfig });
  await golden.until(async () => expect(asked()).toBeGreaterThan(4));
  expect(golden.targets.flatMap(({ path }) => golden.requests(path)).filter(({ verb }) => verb === "patch")).toEqual(
    [],
  );
  proxy.disarm();
  await untilConverged(golden);
});
