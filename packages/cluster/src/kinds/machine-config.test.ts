import { at, type Json, type KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { argumentInForce, containsConfig, renderConfig, roleLabel } from "./machine-config.ts";

const machineConfig = (name: string, spec: Json, role = "worker"): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name, labels: { [roleLabel]: role } },
  spec,
});
const pool = (name: string, roles: readonly string[]): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name },
  spec: { machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values: roles }] } },
});
const worker = pool("worker", ["worker"]);
const infra = pool("infra", ["worker", "infra"]);

const file = (path: string, source: string, rest: object = {}): Json => ({ path, contents: { source }, ...rest });
const files = (...given: readonly Json[]): Json => ({
  config: { ignition: { version: "3.2.0" }, storage: { files: given } },
});
const units = (...given: readonly Json[]): Json => ({
  config: { ignition: { version: "3.4.0" }, systemd: { units: given } },
});

test("merges kernel arguments in the order of names", () => {
  const { object, source } = renderConfig(worker, [
    machineConfig("99-b", { kernelArguments: ["psi=1"] }),
    machineConfig("50-a", { kernelArguments: ["psi=0", "x"] }),
    machineConfig("60-m", { kernelArguments: ["no"] }, "master"),
  ]);
  expect(at(object, "spec", "kernelArguments")).toEqual(["psi=0", "x", "psi=1"]);
  expect(argumentInForce(at(object, "spec", "kernelArguments"), "psi")).toBe("psi=1");
  expect(source).toEqual(["50-a", "99-b"]);
  expect(object.metadata.name).toMatch(/^rendered-worker-[0-9a-f]{32}$/);
});

test("a custom pool inherits the worker configuration before its own", () => {
  const { source } = renderConfig(infra, [
    machineConfig("01-infra", {}, "infra"),
    machineConfig("99-worker", {}),
    machineConfig("00-worker", {}),
  ]);
  expect(source).toEqual(["00-worker", "99-worker", "01-infra"]);
});

test("the last file of a path wins", () => {
  const { object } = renderConfig(worker, [
    machineConfig("a", files(file("/x", "data:,1", { mode: 420 }), file("/y", "data:,y"))),
    machineConfig("b", files(file("/x", "data:,2"))),
  ]);
  expect(at(object, "spec", "config", "storage", "files")).toEqual([
    { path: "/x", contents: { source: "data:,2" }, mode: 420 },
    { path: "/y", contents: { source: "data:,y" } },
  ]);
});

test("merges units and their drop-ins by name", () => {
  const { object } = renderConfig(worker, [
    machineConfig("a", units({ name: "s", dropins: [{ name: "1", contents: "x" }] })),
    machineConfig(
      "b",
      units({
        name: "s",
        enabled: true,
        dropins: [
          { name: "2", contents: "y" },
          { name: "1", contents: "z" },
        ],
      }),
    ),
  ]);
  expect(at(object, "spec", "config", "systemd", "units")).toEqual([
    {
      name: "s",
      enabled: true,
      dropins: [
        { name: "1", contents: "z" },
        { name: "2", contents: "y" },
      ],
    },
  ]);
  expect(at(object, "spec", "config", "ignition", "version")).toBe("3.4.0");
});

const wanted = machineConfig("w", {
  kernelArguments: ["a"],
  config: {
    storage: { files: [file("/x", "data:,1", { mode: 420, overwrite: true })] },
    systemd: { units: [{ name: "s", enabled: true, contents: "c", dropins: [{ name: "1", contents: "x" }] }] },
  },
});
const differing: readonly { reason: string; spec: Json }[] = [
  { reason: "another kernel argument is a difference", spec: { kernelArguments: ["b"] } },
  { reason: "another content is a difference", spec: files(file("/x", "data:,2", { mode: 420 })) },
  { reason: "another mode is a difference", spec: files(file("/x", "data:,1", { mode: 384 })) },
  { reason: "another unit text is a difference", spec: units({ name: "s", enabled: true, contents: "d" }) },
  { reason: "another drop-in is a difference", spec: units({ name: "s", dropins: [{ name: "1", contents: "y" }] }) },
];

test.each(differing)("$reason", ({ spec }) => {
  const { object } = renderConfig(worker, [wanted]);
  expect(containsConfig(object, wanted)).toBe(true);
  const without = renderConfig(worker, [machineConfig("w", spec)]).object;
  expect(containsConfig(without, wanted)).toBe(false);
  expect(containsConfig(without, machineConfig("w", spec))).toBe(true);
});

test("members that the operator fills in are not a difference", () => {
  const filled = machineConfig(
    "r",
    files({
      path: "/x",
      contents: { source: "data:,1", compression: "", verification: {} },
      mode: 420,
      group: {},
      user: {},
    }),
  );
  expect(containsConfig(filled, machineConfig("w", files(file("/x", "data:,1", { mode: 420 }))))).toBe(true);
});

const part = fc.record({
  argument: fc.constantFrom("a=1", "a=2", "b"),
  path: fc.constantFrom("/x", "/y"),
  source: fc.constantFrom("data:,1", "data:,2"),
});
const someConfigs = fc
  .array(part, { maxLength: 3 })
  .map((parts) =>
    parts.map(({ argument, path, source }, at) =>
      machineConfig(`${at}0-config`, { kernelArguments: [argument], ...(files(file(path, source)) as object) }),
    ),
  );

test("the order of configs does not matter, and the last value wins", () => {
  const law = fc.property(someConfigs, (configs) => {
    const { object } = renderConfig(worker, configs);
    const last = configs.at(-1);
    return (
      renderConfig(worker, configs.toReversed()).object.metadata.name === object.metadata.name &&
      (last === undefined || containsConfig(object, last))
    );
  });
  fc.assert(law);
});

test("the name changes exactly with the content", () => {
  const law = fc.property(someConfigs, someConfigs, (some, others) => {
    const [left, right] = [renderConfig(worker, some).object, renderConfig(worker, others).object];
    const isSame = JSON.stringify(left["spec"]) === JSON.stringify(right["spec"]);
    return (left.metadata.name === right.metadata.name) === isSame;
  });
  fc.assert(law);
});

const cases: readonly { reason: string; given: Json | undefined; found: string | undefined }[] = [
  { reason: "finds an argument by its key", given: ["a", "psi=1", "b=2"], found: "psi=1" },
  { reason: "returns the last one", given: ["psi=1", "psi=0"], found: "psi=0" },
  { reason: "the key ends at the first equals sign", given: ["psi=1=2"], found: "psi=1=2" },
  { reason: "finds an argument without a value", given: ["psi=1", "psi"], found: "psi" },
  { reason: "ignores a key with the same start", given: ["psi_x=1", "xpsi=1"], found: undefined },
  { reason: "ignores elements that are not text", given: [1, null, { psi: 1 }], found: undefined },
  { reason: "ignores a value that is not a list", given: undefined, found: undefined },
];

test.each(cases)("$reason", ({ given, found }) => {
  expect(argumentInForce(given, "psi")).toBe(found);
});
