import { type Json, type KubeObject } from "@virt/api";
import { leavesOf, type Path, valueAt, writePath } from "@virt/objects";
import { objectAnnotations, releasedManager } from "@virt/platform";
import { beforeAll, expect, test } from "vitest";
import { distinctTargets, type ManagedTarget, untilConverged } from "../support/full-cluster.ts";
import { sharePlatform } from "../support/running-platform.ts";
import { editField } from "./edit-field.ts";
import { isElementKey, isOurs, MatrixResults, objectName, ownFields, runFieldMatrix } from "./field-matrix.ts";

const platform = sharePlatform();

const ignore = (path: string, pointers: string | null) => platform.annotate(path, { "ignore-fields": pointers });
const targetOf = (kind: string, name = ""): ManagedTarget => {
  const found = platform.targets.find(({ ref }) => ref.kind === kind && ref.name.includes(name));
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

/** Returns the field's values in our successful writes from a request on. Conflicting writes do not count. */
function valuesWritten(path: string, field: Path, from: number): readonly (Json | undefined)[] {
  const writes = platform
    .requests(path)
    .slice(from)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && responseStatus?.code === 200);
  return writes.map(({ responseObject }) => valueAt(responseObject as KubeObject, field));
}

/** Ignores a field, changes it as another client, and takes it back. Meanwhile we never change its value. */
async function release(path: string, pointer: string, field: Path): Promise<void> {
  const { server } = platform.testCluster;
  const before = await platform.read(path);
  const value = valueAt(before, field);
  const from = platform.requests(path).length;
  expect(isOurs(before, field)).toBe(true);

  await ignore(path, pointer);
  await platform.until(async () => expect(isOurs(await platform.read(path), field)).toBe(false));
  const released = await platform.read(path);
  expect(valueAt(released, field)).toEqual(value);
  expect(valuesWritten(path, field, from).filter((one) => JSON.stringify(one) !== JSON.stringify(value))).toEqual([]);

  const edited = await editField("change", {
    server,
    path,
    live: released,
    field,
    manager: "person",
    schema: undefined,
  });
  const theirs = edited.kind === "done" ? valueAt(edited.after, field) : value;
  await platform.untilCorrected(path);
  expect(valueAt(await platform.read(path), field)).toEqual(theirs);

  await ignore(path, null);
  await platform.until(async () => {
    const now = await platform.read(path);
    expect(valueAt(now, field)).toEqual(value);
    // After a refused edit the value is unchanged, so that nothing needs a write.
    expect(isOurs(now, field) || edited.kind === "refused").toBe(true);
  });
}

/** Excludes fields that all objects share and keys of list elements. */
function candidates(object: KubeObject): readonly Path[] {
  const fields = leavesOf(ownFields(object)).filter((path) => !writePath(path).includes("platform.kubevirt.io~1"));
  const plain = fields.filter((path) => !isElementKey(path) && path.length > 1);
  return plain.toReversed();
}

const hangsAfterMs = 400_000;
const results = new MatrixResults();

/** Runs one case at a time, because a release takes most of the object's write budget. */
async function runSome(target: ManagedTarget, [field]: readonly Path[]): Promise<number> {
  if (field === undefined) return 1;
  const name = `${objectName(target)} ${writePath(field)}`;
  await release(target.path, JSON.stringify([writePath(field)]), field).catch((error: Error) =>
    results.fail(objectName(target), `${writePath(field)}: ${error.message}`),
  );
  results.tried.push(name);
  return 1;
}

beforeAll(() => {
  const casesOf = async ({ path }: ManagedTarget) => candidates(await platform.read(path)).slice(0, 3);
  return runFieldMatrix(platform, { casesOf, runSome });
}, hangsAfterMs);

test.each(distinctTargets.map(objectName))("releases an ignored field of %s and takes it back afterwards", (object) => {
  expect(results.problemsOf(object)).toEqual([]);
});

test("tries at least 30 fields", () => {
  expect(results.tried.length).toBeGreaterThanOrEqual(30);
});

type Named = {
  readonly reason: string;
  readonly target: () => ManagedTarget;
  readonly pointer: string;
  readonly field: Path;
  readonly patch?: string;
};

const spec = (...elements: readonly string[]): Path => ["f:spec", ...elements];
const cases: readonly Named[] = [
  {
    reason: "a pointer into an atomic list releases the whole list",
    target: () => targetOf("MachineConfig", "swap"),
    pointer: "/spec/config/systemd/units/0/contents",
    field: spec("f:config", "f:systemd", "f:units"),
  },
  {
    reason: "a parent releases its children",
    target: () => targetOf("KubeDescheduler"),
    pointer: "/spec/evictionLimits",
    field: spec("f:evictionLimits", "f:total"),
  },
  {
    reason: "an index selects a list element",
    target: () => targetOf("NodeHealthCheck"),
    pointer: "/spec/unhealthyConditions/1/duration",
    field: spec("f:unhealthyConditions", 'k:{"status":"Unknown","type":"Ready"}', "f:duration"),
  },
  {
    reason: "a JSON list may contain fields that only the schema has",
    target: () => targetOf("UIPlugin"),
    pointer: '["/spec/troubleshootingPanel/timeout", "/spec/monitoring/perses/enabled"]',
    field: spec("f:monitoring", "f:perses", "f:enabled"),
  },
  {
    reason: "~0 and ~1 are unescaped, also for patched fields",
    target: () => targetOf("KubeletConfig"),
    pointer: "/spec/kubeletConfig/a~0b~1c",
    field: spec("f:kubeletConfig", "f:a~b/c"),
    patch: JSON.stringify([{ op: "add", path: "/spec/kubeletConfig/a~0b~1c", value: "x" }]),
  },
];

test.each(cases)("resolves pointers by RFC 6901 and the schema: $reason", async ({ target, pointer, field, patch }) => {
  const { path } = target();
  if (patch !== undefined) await platform.annotate(path, { patch });
  await platform.until(async () => expect(isOurs(await platform.read(path), field)).toBe(true));
  await release(path, pointer, field);
});

test("releases an element of a keyed list as a whole", async () => {
  const { path } = targetOf("HyperConverged");
  const element = spec("f:permittedHostDevices", "f:pciHostDevices", 'k:{"pciDeviceSelector":"10DE:1EB8"}');
  const before = valueAt(await platform.read(path), element);
  await ignore(path, "/spec/permittedHostDevices/pciHostDevices/pciDeviceSelector=10DE:1EB8");
  await platform.until(async () => expect(isOurs(await platform.read(path), element)).toBe(false));
  expect(valueAt(await platform.read(path), element)).toEqual(before);
  await ignore(path, null);
  await platform.untilCorrected(path);
  expect(valueAt(await platform.read(path), element)).toEqual(before);
});

test("leaves a co-owned field to its other owner without a placeholder", async () => {
  const { path, ref } = targetOf("KubeDescheduler");
  const { apiVersion, kind, name, namespace } = ref;
  const field = spec("f:mode");
  const body = { apiVersion, kind, metadata: { name, namespace }, spec: { mode: "Automatic" } };
  const contentType = "application/apply-patch+yaml";
  await platform.testCluster.server.request({
    method: "PATCH",
    path: `${path}?fieldManager=co-owner`,
    contentType,
    body,
  });
  const from = platform.requests(path).length;
  await ignore(path, "/spec/mode");
  await platform.until(async () => expect(isOurs(await platform.read(path), field)).toBe(false));
  expect(valueAt(await platform.read(path), field)).toBe("Automatic");
  expect(
    platform
      .requests(path)
      .slice(from)
      .some(({ requestURI }) => requestURI.includes(releasedManager)),
  ).toBe(false);
  await ignore(path, null);
});

test("never sets a field that is ignored from the start", async () => {
  const { path, ref } = targetOf("MachineConfig", "master-psi");
  const { apiVersion, kind, name } = ref;
  await platform.operator.kill();
  await platform.testCluster.server.request({ method: "DELETE", path });
  const annotations = { [objectAnnotations.ignoreFields]: "/spec/kernelArguments" };
  const body = { apiVersion, kind, metadata: { name, annotations }, spec: {} };
  const made = await platform.testCluster.server.request({
    method: "POST",
    path: path.slice(0, path.lastIndexOf("/")),
    body,
  });
  expect(made.status).toBe(201);
  await platform.start();
  await untilConverged(platform);
  expect(valueAt(await platform.read(path), spec("f:kernelArguments"))).toBeUndefined();
});
