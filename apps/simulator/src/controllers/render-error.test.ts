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
  { reason: "a config without ignition is fine", configs: [config({ kernelArguments: ["psi=1"] })], says: undefined },
  {
    reason: "so is one with files and units",
    configs: [withFiles({ path: "/a", contents: { source: "data:,x" } })],
    says: undefined,
  },
  { reason: "nothing to render is an error", configs: [], says: "no MachineConfigs found" },
  {
    reason: "another pool's broken config does not matter",
    configs: [config({}), config({ config: { ignition: {} } }, "master")],
    says: undefined,
  },
  {
    reason: "an unknown version is named",
    configs: [config({ config: { ignition: { version: "4.0.0" } } })],
    says: 'unknown version "4.0.0"',
  },
  { reason: "a path must be absolute", configs: [withFiles({ path: "etc/a" })], says: "path not absolute" },
  {
    reason: "contents must be readable",
    configs: [withFiles({ path: "/a", contents: { source: "data:;base64,?" } })],
    says: 'could not decode file "/a"',
  },
  {
    reason: "a file is there once",
    configs: [withFiles({ path: "/a" }, { path: "/a" })],
    says: "duplicate entry defined: /a",
  },
];

test.each(cases)("$reason", ({ configs, says }) => {
  expect(renderError(pool, configs) ?? "no error").toContain(says ?? "no error");
});

test("a pool that is told to fail does", () => {
  const annotations = { "simulator.kubevirt.io/render-error": "out of ink" };
  const faulty = { ...pool, metadata: { ...pool.metadata, annotations } };
  expect(renderError(faulty, [config({})])).toBe("Failed to render configuration for pool worker: out of ink");
});
