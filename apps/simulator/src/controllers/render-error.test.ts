import type { Json, KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import { poolObjects } from "../objects/pools.ts";
import { scenarios } from "../scenarios.ts";
import { renderError } from "./machine-config-controller.ts";

const [, worker] = poolObjects(scenarios.get("default") ?? expect.fail());
const pool = worker ?? expect.fail();
const config = (spec: Json, role = "worker"): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "50-mine", labels: { "machineconfiguration.openshift.io/role": role } },
  spec,
});
const withFiles = (...files: readonly Json[]) =>
  config({ config: { ignition: { version: "3.2.0" }, storage: { files } } });

const cases = [
  { reason: "accepts a config without Ignition", configs: [config({ kernelArguments: ["psi=1"] })], says: undefined },
  {
    reason: "accepts a config with files",
    configs: [withFiles({ path: "/a", contents: { source: "data:,x" } })],
    says: undefined,
  },
  { reason: "rejects a pool without configs", configs: [], says: "no MachineConfigs found" },
  {
    reason: "ignores a broken config of another pool",
    configs: [config({}), config({ config: { ignition: {} } }, "master")],
    says: undefined,
  },
  {
    reason: "rejects an unknown version",
    configs: [config({ config: { ignition: { version: "4.0.0" } } })],
    says: 'unknown version "4.0.0"',
  },
  { reason: "rejects a relative path", configs: [withFiles({ path: "etc/a" })], says: "path not absolute" },
  {
    reason: "rejects contents that it cannot decode",
    configs: [withFiles({ path: "/a", contents: { source: "data:;base64,?" } })],
    says: 'could not decode file "/a"',
  },
  {
    reason: "rejects a duplicate file",
    configs: [withFiles({ path: "/a" }, { path: "/a" })],
    says: "duplicate entry defined: /a",
  },
];

test.each(cases)("$reason", ({ configs, says }) => {
  expect(renderError(pool, configs) ?? "no error").toContain(says ?? "no error");
});

test("an annotation makes rendering fail", () => {
  const annotations = { "simulator.kubevirt.io/render-error": "out of ink" };
  const faulty = { ...pool, metadata: { ...pool.metadata, annotations } };
  expect(renderError(faulty, [config({})])).toBe("Failed to render configuration for pool worker: out of ink");
});
