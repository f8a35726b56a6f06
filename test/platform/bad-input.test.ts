// Mistakes and attacks in annotations on live objects of every kind.

import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import {
  appliedBy,
  applyPatch,
  at,
  fieldSet,
  keepOnly,
  leavesOf,
  type Path,
  readIgnoreFields,
  readOwners,
  valueAt,
  writePath,
} from "@virt/objects";
import { isState, objectAnnotations, objectName } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, type ManagedTarget, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";
import { type HostilePatch, hostilePatches } from "./hostile/index.ts";
import { featureTexts, pointers } from "./hostile/mistakes.ts";

const prefix = "platform.kubevirt.io/";
let fullCluster: FullCluster;
let operator: RunningProgram;
let outputs: OperatorOutputs;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  operator = await outputs.start();
  await untilConverged(fullCluster);
  await untilQuiet();
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const requests = () => fullCluster.targets.flatMap(({ path }) => fullCluster.requests(path));

/** Waits until no work is pending and the audit log has all requests of the first reconciles. */
async function untilQuiet(): Promise<void> {
  let seen = -1;
  await fullCluster.until(async () => {
    const before = seen;
    seen = requests().length;
    await new Promise((resolve) => setTimeout(resolve, 500)); // a fixed pause, because the test asserts silence
    expect(seen).toBe(before);
    expect(await outputs.isIdle()).toBe(true);
  });
}

const annotate = (path: string, key: string, text: string | null) =>
  fullCluster.edit(path, { metadata: { annotations: { [key]: text } } }, "person");

/** Compares only the beginning, because long texts are cut. */
async function untilReported(reason: string, note: string): Promise<void> {
  const start = note.slice(0, 150);
  const isReported = () => operator.log.some((line) => line["reason"] === reason && line.msg?.startsWith(start));
  await expect.poll(isReported, { interval: 20, message: note }).toBe(true);
}

async function eventNotes(): Promise<readonly string[]> {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  return (body as { readonly items: readonly { readonly note: string }[] }).items.map(({ note }) => note.slice(0, 150));
}

async function invalidOverrides(type: string): Promise<readonly string[]> {
  const series = await outputs.series("kubevirt_autopilot_invalid_override{", `type="${type}"`);
  return series
    .filter((line) => line.endsWith(" 1"))
    .map((line) =>
      ["kind", "namespace", "name"].map((label) => new RegExp(`${label}="([^"]*)"`).exec(line)?.[1]).join("/"),
    );
}

/** Returns the object without the parts that others may write. */
function contentOf({ metadata, ...rest }: KubeObject): JsonMap {
  const { annotations = {}, labels, name, namespace, uid } = metadata;
  const kept = Object.entries(annotations).filter(
    ([key]) => !key.startsWith(prefix) || key === objectAnnotations.state,
  );
  return { ...rest, metadata: { name, namespace, uid, labels, annotations: Object.fromEntries(kept) } };
}

const contents = (targets = fullCluster.targets) =>
  Promise.all(targets.map(async ({ path }) => contentOf(await fullCluster.read(path))));

function baselineOf(live: KubeObject): KubeObject {
  const own = leavesOf(appliedBy(readOwners(live), fieldManagers.platform)).filter((path) => !isState(path));
  return keepOnly(live, fieldSet(own));
}

function fieldOf(baseline: KubeObject, live: KubeObject): string {
  const isPlain = (path: Path) => path[0] === "f:spec" && path.every((element) => element.startsWith("f:"));
  const own = leavesOf(appliedBy(readOwners(live), fieldManagers.platform)).filter(isPlain);
  const found = own.find((path) => typeof valueAt(baseline, path) !== "object");
  return found === undefined ? "/spec/none" : writePath(found);
}

type Attack = {
  readonly target: ManagedTarget;
  readonly tries: string;
  readonly text: string;
  readonly reason: string;
};

/** Alternates between classes, so that each object gets many classes. */
function interleaved(patches: readonly HostilePatch[]): readonly HostilePatch[] {
  const classes = [...Map.groupBy(patches, ({ tries }) => tries).values()];
  const longest = Math.max(...classes.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => classes.flatMap((one) => one[row] ?? [])).flat();
}

const perObject = 14;
/**
 * The event budget is a burst of 25 per object. The HyperConverged uses it up at the start, so that its test reads the
 * log.
 */
const eventsOfEach = 5;

async function attacksOn(target: ManagedTarget, number: number): Promise<readonly Attack[]> {
  const live = await fullCluster.read(target.path);
  const baseline = baselineOf(live);
  const patches = interleaved(hostilePatches(fieldOf(baseline, live)));
  const own = patches.filter((_, index) => index % fullCluster.targets.length === number);
  const attacks = own.flatMap(({ tries, text }) => {
    const patched = applyPatch(baseline, text);
    if (patched.kind === "patched") throw new Error(`${objectName(target.ref)} takes ${text}`);
    // The number of bytes depends on the rendered object.
    return [{ target, tries, text, reason: patched.reason.replace(/(?<= bytes: ).*/s, "") }];
  });
  const distinct = [...Map.groupBy(attacks, ({ reason }) => reason).values()].flatMap(([first]) => first ?? []);
  return distinct.slice(0, perObject);
}

const witness = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const invalidPatch = ({ target, reason }: Attack) => `Invalid JSON patch for ${objectName(target.ref)}: ${reason}`;

test("reports a hostile patch and blocks corrections of that object only", async () => {
  const targets = fullCluster.targets.filter(({ path }) => path !== witness);
  const before = await contents(targets);
  const asked = requests().length;
  const attacks = await Promise.all(targets.map(attacksOn));
  await Promise.all(
    attacks.map(async (series) => {
      for (const attack of series) {
        await annotate(attack.target.path, objectAnnotations.patch, attack.text);
        await untilReported("InvalidPatch", invalidPatch(attack));
      }
    }),
  );
  expect(attacks.flat().length).toBeGreaterThanOrEqual(150);
  expect(new Set(attacks.flat().map(({ tries }) => tries)).size).toBeGreaterThanOrEqual(20);
  expect(await contents(targets)).toEqual(before);
  expect(requests().slice(asked)).toEqual([]);
  await expect.poll(() => invalidOverrides("patch")).toHaveLength(targets.length);
  const notes = attacks
    .filter(([first]) => first?.target.ref.kind !== "HyperConverged")
    .flatMap((series) => series.slice(0, eventsOfEach).map((attack) => invalidPatch(attack).slice(0, 150)));
  const untold = async () => {
    const reported = await eventNotes();
    return notes.filter((note) => !reported.some((one) => one.startsWith(note)));
  };
  await expect.poll(untold).toEqual([]);

  await fullCluster.edit(witness, { spec: { minHealthy: "10%" } }, "person");
  await fullCluster.until(async () => expect(at(await fullCluster.read(witness), "spec", "minHealthy")).toBe("51%"));
  for (const { path } of targets) await annotate(path, objectAnnotations.patch, null);
  await expect.poll(() => invalidOverrides("patch")).toEqual([]);
  expect(await contents(targets)).toEqual(before);
});

test("reports invalid ignore-fields pointers and leaves their objects unchanged", async () => {
  const before = await contents();
  const asked = requests().length;
  const targets = fullCluster.targets.filter(({ path }) => path !== witness).slice(0, 5);
  await Promise.all(
    targets.map(async ({ path, ref }) => {
      for (const text of pointers) {
        const read = readIgnoreFields(text);
        if (read.kind === "pointers") throw new Error(`${text} can be read`);
        await annotate(path, objectAnnotations.ignoreFields, text);
        await untilReported(
          "InvalidIgnoreFields",
          `Invalid ignore-fields annotation for ${objectName(ref)}: ${read.reason}`,
        );
      }
    }),
  );
  await expect.poll(() => invalidOverrides("ignore")).toHaveLength(targets.length);
  expect(await contents()).toEqual(before);
  expect(requests().slice(asked)).toEqual([]);
  for (const { path } of targets) await annotate(path, objectAnnotations.ignoreFields, null);
  await expect.poll(() => invalidOverrides("ignore")).toEqual([]);
});

test("reports an unknown mode and blocks the object until it is removed", async () => {
  for (const mode of ["Unmanaged", "off", "true", "unmanaged;managed"]) {
    await annotate(witness, objectAnnotations.mode, mode);
    await untilReported(
      "InvalidMode",
      `Invalid annotation ${objectAnnotations.mode} on NodeHealthCheck virt-node-health-check: must be unmanaged, managed or empty, not "${mode}"`,
    );
  }
  await expect.poll(() => invalidOverrides("mode")).toEqual(["NodeHealthCheck//virt-node-health-check"]);
  await fullCluster.edit(witness, { spec: { minHealthy: "20%" } }, "somebody");
  await untilReported("DriftDetected", "Drift detected for NodeHealthCheck virt-node-health-check: /spec/minHealthy");
  expect(at(await fullCluster.read(witness), "spec", "minHealthy")).toBe("20%");
  await annotate(witness, objectAnnotations.mode, null);
  await fullCluster.until(async () => expect(at(await fullCluster.read(witness), "spec", "minHealthy")).toBe("51%"));
  await expect.poll(() => invalidOverrides("mode")).toEqual([]);
});

test("reports unreadable HyperConverged annotations by key and changes nothing", async () => {
  const hco = fullCluster.targets.find(({ ref }) => ref.kind === "HyperConverged")?.path ?? "";
  const before = await contents();
  const asked = requests().length;
  const annotations = (await fullCluster.read(hco)).metadata.annotations ?? {};
  for (const { key, texts, reason = "InvalidConfiguration" } of featureTexts) {
    const named =
      reason === "InvalidExclusions"
        ? "Invalid disabled-resources annotation: "
        : `Invalid annotation ${prefix}${key} on the HyperConverged: `;
    for (const text of texts) {
      const reports = operator.log.length;
      await annotate(hco, `${prefix}${key}`, text);
      const isReported = () =>
        operator.log.slice(reports).some((line) => line["reason"] === reason && line.msg?.startsWith(named));
      await expect.poll(isReported, { interval: 20, message: `${key}: ${text}` }).toBe(true);
    }
    await annotate(hco, `${prefix}${key}`, annotations[`${prefix}${key}`] ?? null);
  }
  expect(await contents()).toEqual(before);
  expect(requests().slice(asked)).toEqual([]);
});

test("reports a lasting mistake once, even if other annotations change", async () => {
  const hco = fullCluster.targets.find(({ ref }) => ref.kind === "HyperConverged")?.path ?? "";
  const asked = operator.log.length;
  const reports = (key: string) =>
    operator.log
      .slice(asked)
      .filter(({ msg }) => msg?.startsWith(`Invalid annotation ${prefix}${key} on the HyperConverged: `)).length;
  await annotate(hco, `${prefix}prune`, "perhaps");
  await expect.poll(() => reports("prune")).toBe(1);
  await annotate(hco, "example.com/note", "new");
  await annotate(hco, `${prefix}enable-swap`, "perhaps");
  await expect.poll(() => reports("enable-swap")).toBe(1);
  expect(reports("prune")).toBe(1);
  for (const key of ["prune", "enable-swap"]) await annotate(hco, `${prefix}${key}`, null);
});
