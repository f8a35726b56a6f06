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
import { beforeAll, expect, test } from "vitest";
import { distinctTargets, type ManagedTarget } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { type HostilePatch, hostilePatches } from "./hostile/index.ts";
import { featureTexts, pointers } from "./hostile/mistakes.ts";

const prefix = "platform.kubevirt.io/";
const platform = sharePlatform();
beforeAll(untilQuiet);

const requests = () => distinctTargets.flatMap(({ path }) => platform.requests(path));

/** Waits until no work is pending and the audit log has all requests of the first reconciles. */
async function untilQuiet(): Promise<void> {
  let seen = -1;
  await platform.until(async () => {
    const before = seen;
    seen = requests().length;
    await new Promise((resolve) => setTimeout(resolve, 500)); // a fixed pause, because the test asserts silence
    expect(seen).toBe(before);
    expect(await platform.outputs.isIdle()).toBe(true);
  });
}

/** Compares only the beginning, because long texts are cut. */
async function untilReported(reason: string, note: string): Promise<void> {
  const start = note.slice(0, 150);
  const isReported = () => platform.reports(reason).some((text) => text.startsWith(start));
  await expect.poll(isReported, { interval: 20, message: note }).toBe(true);
}

async function invalidOverrides(type: string): Promise<readonly string[]> {
  const series = await platform.outputs.series("kubevirt_platform_invalid_override{", `type="${type}"`);
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

const contents = (targets = distinctTargets) =>
  Promise.all(targets.map(async ({ path }) => contentOf(await platform.read(path))));

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
  const live = await platform.read(target.path);
  const baseline = baselineOf(live);
  const patches = interleaved(hostilePatches(fieldOf(baseline, live)));
  const own = patches.filter((_, index) => index % distinctTargets.length === number);
  const attacks = own.flatMap(({ tries, text }) => {
    const patched = applyPatch(baseline, text);
    if (patched.kind === "patched") throw new Error(`${objectName(target.ref)} takes ${text}`);
    // The number of bytes depends on the rendered object.
    return [{ target, tries, text, reason: patched.reason.replace(/(?<= bytes: ).*/s, "") }];
  });
  const distinct = [...Map.groupBy(attacks, ({ reason }) => reason).values()].flatMap(([first]) => first ?? []);
  return distinct.slice(0, perObject);
}

const { check: witness } = objectPaths;
const invalidPatch = ({ target, reason }: Attack) => `Invalid JSON patch for ${objectName(target.ref)}: ${reason}`;

test("reports a hostile patch and blocks corrections of that object only", async () => {
  const targets = distinctTargets.filter(({ path }) => path !== witness);
  const before = await contents(targets);
  const asked = requests().length;
  const attacks = await Promise.all(targets.map(attacksOn));
  await Promise.all(
    attacks.map(async (series) => {
      for (const attack of series) {
        await platform.annotate(attack.target.path, { patch: attack.text });
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
    const reported = await platform.outputs.events();
    return notes.filter((note) => !reported.some((event) => event.note.startsWith(note)));
  };
  await expect.poll(untold).toEqual([]);

  await platform.edit(witness, { spec: { minHealthy: "10%" } }, "person");
  await platform.until(async () => expect(at(await platform.read(witness), "spec", "minHealthy")).toBe("51%"));
  for (const { path } of targets) await platform.annotate(path, { patch: null });
  await expect.poll(() => invalidOverrides("patch")).toEqual([]);
  expect(await contents(targets)).toEqual(before);
});

test("reports invalid ignore-fields pointers and leaves their objects unchanged", async () => {
  const before = await contents();
  const asked = requests().length;
  const targets = distinctTargets.filter(({ path }) => path !== witness).slice(0, 5);
  await Promise.all(
    targets.map(async ({ path, ref }) => {
      for (const text of pointers) {
        const read = readIgnoreFields(text);
        if (read.kind === "pointers") throw new Error(`${text} can be read`);
        await platform.annotate(path, { "ignore-fields": text });
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
  for (const { path } of targets) await platform.annotate(path, { "ignore-fields": null });
  await expect.poll(() => invalidOverrides("ignore")).toEqual([]);
});

test("reports an unknown mode and blocks the object until it is removed", async () => {
  for (const mode of ["Unmanaged", "off", "true", "unmanaged;managed"]) {
    await platform.annotate(witness, { mode });
    await untilReported(
      "InvalidMode",
      `Invalid annotation ${objectAnnotations.mode} on NodeHealthCheck virt-node-health-check: must be unmanaged, managed or empty, not "${mode}"`,
    );
  }
  await expect.poll(() => invalidOverrides("mode")).toEqual(["NodeHealthCheck//virt-node-health-check"]);
  await platform.edit(witness, { spec: { minHealthy: "20%" } }, "gitops");
  await untilReported("DriftDetected", "Drift detected for NodeHealthCheck virt-node-health-check: /spec/minHealthy");
  expect(await platform.specOf(witness, "minHealthy")).toBe("20%");
  await platform.annotate(witness, { mode: null });
  await platform.until(async () => expect(at(await platform.read(witness), "spec", "minHealthy")).toBe("51%"));
  await expect.poll(() => invalidOverrides("mode")).toEqual([]);
});

test("reports unreadable HyperConverged annotations by key and changes nothing", async () => {
  const before = await contents();
  const asked = requests().length;
  const annotations = (await platform.read(hcoPath)).metadata.annotations ?? {};
  for (const { key, texts, reason = "InvalidConfiguration" } of featureTexts) {
    const named =
      reason === "InvalidExclusions"
        ? "Invalid disabled-resources annotation: "
        : `Invalid annotation ${prefix}${key} on the HyperConverged: `;
    for (const text of texts) {
      const reports = platform.operator.log.length;
      await platform.annotate(hcoPath, { [key]: text });
      const isReported = () =>
        platform.operator.log.slice(reports).some((line) => line["reason"] === reason && line.msg?.startsWith(named));
      await expect.poll(isReported, { interval: 20, message: `${key}: ${text}` }).toBe(true);
    }
    await platform.annotate(hcoPath, { [key]: annotations[`${prefix}${key}`] ?? null });
  }
  expect(await contents()).toEqual(before);
  expect(requests().slice(asked)).toEqual([]);
});

test("reports a lasting mistake once, even if other annotations change", async () => {
  const asked = platform.operator.log.length;
  const reports = (key: string) =>
    platform.operator.log
      .slice(asked)
      .filter(({ msg }) => msg?.startsWith(`Invalid annotation ${prefix}${key} on the HyperConverged: `)).length;
  await platform.annotate(hcoPath, { prune: "perhaps" });
  await expect.poll(() => reports("prune")).toBe(1);
  await platform.annotate(hcoPath, { "example.com/note": "new" });
  await platform.annotate(hcoPath, { "enable-swap": "perhaps" });
  await expect.poll(() => reports("enable-swap")).toBe(1);
  expect(reports("prune")).toBe(1);
  await platform.annotate(hcoPath, { prune: null, "enable-swap": null });
});
