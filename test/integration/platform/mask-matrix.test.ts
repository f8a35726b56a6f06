import { fieldManagers, type Json, type KubeObject } from "@virt/api";
import {
  appliedBy,
  hasField,
  leavesOf,
  member,
  type Path,
  parseJson,
  readOwners,
  valueAt,
  writePath,
} from "@virt/engine";
import { objectAnnotations, releasedManager } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, type Target, untilConverged } from "./golden.ts";
import { tamper } from "./tampering.ts";

let golden: Golden;
let operator: RunningProgram;
beforeAll(async () => {
  golden = await startGolden();
  operator = await golden.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

const ownFields = (object: KubeObject) => appliedBy(readOwners(object), fieldManagers.platform);
const isOurs = (object: KubeObject, field: Path) => hasField(ownFields(object), field);
const annotate = (path: string, key: keyof typeof objectAnnotations, text: string | null) =>
  golden.edit(path, { metadata: { annotations: { [objectAnnotations[key]]: text } } }, "person");
const targetOf = (kind: string, name = ""): Target => {
  const found = golden.targets.find(({ ref }) => ref.kind === kind && ref.name.includes(name));
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

/** What our writes to an object made of a field, from a request on. One that somebody was faster than made nothing. */
function valuesWritten(path: string, field: Path, from: number): readonly (Json | undefined)[] {
  const writes = golden
    .requests(path)
    .slice(from)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && responseStatus?.code === 200);
  return writes.map(({ responseObject }) => valueAt(responseObject as KubeObject, field));
}

/** Ignores a field, lets somebody else change it, and takes it back. Its value is never changed by us meanwhile. */
async function release(path: string, pointer: string, field: Path): Promise<void> {
  const { server } = golden.world;
  const before = await golden.read(path);
  const value = valueAt(before, field);
  const from = golden.requests(path).length;
  expect(isOurs(before, field)).toBe(true);

  await annotate(path, "ignoreFields", pointer);
  await golden.until(async () => expect(isOurs(await golden.read(path), field)).toBe(false));
  const released = await golden.read(path);
  expect(valueAt(released, field)).toEqual(value);
  expect(valuesWritten(path, field, from).filter((one) => JSON.stringify(one) !== JSON.stringify(value))).toEqual([]);

  const edited = await tamper("change", { server, path, live: released, field, manager: "person", schema: undefined });
  const theirs = edited.kind === "done" ? valueAt(edited.after, field) : value;
  await somethingElseIsCorrected(path, field);
  expect(valueAt(await golden.read(path), field)).toEqual(theirs);

  await annotate(path, "ignoreFields", null);
  await golden.until(async () => {
    const now = await golden.read(path);
    expect(valueAt(now, field)).toEqual(value);
    // A value that nobody changed is no reason for a write.
    expect(isOurs(now, field) || edited.kind === "refused").toBe(true);
  });
}

/** Our label is put back: by then everything before it has been seen. */
async function somethingElseIsCorrected(path: string, field: Path): Promise<void> {
  const key = "platform.kubevirt.io/managed-by";
  await golden.edit(
    path,
    { metadata: { labels: { [key]: "nobody" } } },
    `opponent-of${writePath(field).replaceAll(/[^a-z]/gi, "-")}`,
  );
  await golden.until(async () =>
    expect((await golden.read(path)).metadata.labels?.[key]).toBe("virt-platform-operator"),
  );
}

/** Fields that stand for themselves: neither ours for all objects alike, nor the key of an element. */
function candidates(object: KubeObject): readonly Path[] {
  const fields = leavesOf(ownFields(object)).filter((path) => !writePath(path).includes("platform.kubevirt.io~1"));
  const plain = fields.filter((path) => {
    const element = path.at(-2) ?? "";
    const keys = element.startsWith("k:") ? parseJson(element.slice(2)) : undefined;
    return member(keys, path.at(-1)?.slice(2) ?? "") === undefined && path.length > 1;
  });
  return plain.toReversed(); // the ones under spec come last
}

test("a field that is ignored keeps its value, is others' to change, and comes back when it is ignored no more", {
  timeout: 120_000,
}, async () => {
  const failures: string[] = [];
  const done: string[] = [];
  const play = async (path: string, field: Path) => {
    const name = `${path} ${writePath(field)}`;
    await release(path, JSON.stringify([writePath(field)]), field).catch((error: Error) =>
      failures.push(`${name}: ${error.message}`),
    );
    done.push(name);
  };
  for (const round of [0, 1, 2]) {
    await restart();
    await Promise.all(
      golden.targets.map(async ({ path }) => {
        const field = candidates(await golden.read(path))[round];
        if (field !== undefined) await play(path, field);
      }),
    );
  }
  expect(failures).toEqual([]);
  expect(done.length).toBeGreaterThanOrEqual(30);
});

type Named = {
  readonly reason: string;
  readonly target: () => Target;
  readonly pointer: string;
  readonly field: Path;
  readonly patch?: string;
};

const spec = (...elements: readonly string[]): Path => ["f:spec", ...elements];
const cases: readonly Named[] = [
  {
    reason: "a pointer into a list that is one value means all of it",
    target: () => targetOf("MachineConfig", "swap"),
    pointer: "/spec/config/systemd/units/0/contents",
    field: spec("f:config", "f:systemd", "f:units"),
  },
  {
    reason: "a parent covers what is below",
    target: () => targetOf("KubeDescheduler"),
    pointer: "/spec/evictionLimits",
    field: spec("f:evictionLimits", "f:total"),
  },
  {
    reason: "an element is named by its position",
    target: () => targetOf("NodeHealthCheck"),
    pointer: "/spec/unhealthyConditions/1/duration",
    field: spec("f:unhealthyConditions", 'k:{"status":"Unknown","type":"Ready"}', "f:duration"),
  },
  {
    reason: "pointers may come as JSON, with others that match nothing",
    target: () => targetOf("UIPlugin"),
    pointer: '["/spec/none", "/spec/monitoring/perses/enabled"]',
    field: spec("f:monitoring", "f:perses", "f:enabled"),
  },
  {
    reason: "~0 and ~1 stand for ~ and /, also in what a patch added",
    target: () => targetOf("KubeletConfig"),
    pointer: "/spec/kubeletConfig/a~0b~1c",
    field: spec("f:kubeletConfig", "f:a~b/c"),
    patch: JSON.stringify([{ op: "add", path: "/spec/kubeletConfig/a~0b~1c", value: "x" }]),
  },
];

/** With full buckets. */
async function restart(): Promise<void> {
  await operator.kill();
  operator = await golden.start();
}

test("a field is named as RFC 6901 and the schema say", async () => {
  await restart();
  for (const { reason, target, pointer, field, patch } of cases) {
    const { path } = target();
    if (patch !== undefined) await annotate(path, "patch", patch);
    await golden.until(async () => expect(isOurs(await golden.read(path), field)).toBe(true));
    await release(path, pointer, field).catch((error: unknown) => {
      throw new Error(reason, { cause: error });
    });
  }
});

test("an element of a keyed list is let go as a whole, and stays", async () => {
  const { path } = targetOf("HyperConverged");
  const element = spec("f:permittedHostDevices", "f:pciHostDevices", 'k:{"pciDeviceSelector":"10DE:1EB8"}');
  const before = valueAt(await golden.read(path), element);
  await annotate(path, "ignoreFields", "/spec/permittedHostDevices/pciHostDevices/pciDeviceSelector=10DE:1EB8");
  await golden.until(async () => expect(isOurs(await golden.read(path), element)).toBe(false));
  expect(valueAt(await golden.read(path), element)).toEqual(before);
  await annotate(path, "ignoreFields", null);
  await somethingElseIsCorrected(path, element);
  expect(valueAt(await golden.read(path), element)).toEqual(before);
});

test("what somebody else applied too is theirs at once: nobody has to hold it", async () => {
  const { path, ref } = targetOf("KubeDescheduler");
  const { apiVersion, kind, name, namespace } = ref;
  const field = spec("f:mode");
  const body = { apiVersion, kind, metadata: { name, namespace }, spec: { mode: "Automatic" } };
  const contentType = "application/apply-patch+yaml";
  await golden.world.server.request({ method: "PATCH", path: `${path}?fieldManager=co-owner`, contentType, body });
  const from = golden.requests(path).length;
  await annotate(path, "ignoreFields", "/spec/mode");
  await golden.until(async () => expect(isOurs(await golden.read(path), field)).toBe(false));
  expect(valueAt(await golden.read(path), field)).toBe("Automatic");
  expect(
    golden
      .requests(path)
      .slice(from)
      .some(({ requestURI }) => requestURI.includes(releasedManager)),
  ).toBe(false);
  await annotate(path, "ignoreFields", null);
});

test("ignored from the beginning, a field is never set", async () => {
  const { path, ref } = targetOf("MachineConfig", "master-psi");
  const { apiVersion, kind, name } = ref;
  await operator.kill();
  await golden.world.server.request({ method: "DELETE", path });
  const annotations = { [objectAnnotations.ignoreFields]: "/spec/kernelArguments" };
  const body = { apiVersion, kind, metadata: { name, annotations }, spec: {} };
  const made = await golden.world.server.request({ method: "POST", path: path.slice(0, path.lastIndexOf("/")), body });
  expect(made.status).toBe(201);
  operator = await golden.start();
  await untilConverged(golden);
  expect(valueAt(await golden.read(path), spec("f:kernelArguments"))).toBeUndefined();
});

test("pointers that cannot be read hold the object as it is", async () => {
  const { path } = targetOf("UIPlugin");
  const from = golden.requests(path).length;
  await annotate(path, "ignoreFields", "spec/type");
  await golden.edit(path, { spec: { monitoring: { perses: { enabled: false } } } }, "person");
  const check = targetOf("NodeHealthCheck").path;
  await somethingElseIsCorrected(check, spec("f:minHealthy"));
  expect(golden.requests(path).slice(from)).toEqual([]);
  await annotate(path, "ignoreFields", null);
  await golden.until(async () =>
    expect(valueAt(await golden.read(path), spec("f:monitoring", "f:perses", "f:enabled"))).toBe(true),
  );
});
