import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import {
  appliedBy,
  asList,
  asText,
  at,
  equalJson,
  hasField,
  leavesOf,
  member,
  type Path,
  parseJson,
  readOwners,
  valueAt,
  writePath,
} from "@virt/engine";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, type Target, untilConverged } from "./golden.ts";
import { type Tamper, tamper, tampers } from "./tampering.ts";

let golden: Golden;
let operator: RunningProgram;
beforeAll(async () => {
  golden = await startGolden();
  operator = await golden.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

type Case = { readonly target: Target; readonly field: Path; readonly how: Tamper; readonly manager: string };

const ownFields = (object: KubeObject) => appliedBy(readOwners(object), fieldManagers.platform);
const isState = (path: Path) => writePath(path).endsWith("platform.kubevirt.io~1state");

/** Without the key an element is another one, so the element goes with it. */
function fieldsOf(object: KubeObject): readonly Path[] {
  const fields = leavesOf(ownFields(object)).filter((path) => !isState(path));
  const whole = fields.map((path) => {
    const element = path.at(-2) ?? "";
    const keys = element.startsWith("k:") ? parseJson(element.slice(2)) : undefined;
    return member(keys, path.at(-1)?.slice(2) ?? "") === undefined ? path : path.slice(0, -1);
  });
  return [...new Map(whole.map((path) => [writePath(path), path])).values()];
}

/** One after the other on an object, for which a token for each write has to be left. */
const writesOfOneLife = 9;
const settled: string[] = [];
const failures: string[] = [];
const refused: string[] = [];

const schemas = new Map<string, JsonMap | undefined>();
async function schemaOf({ ref, path }: Target): Promise<JsonMap | undefined> {
  const [group, version] = ref.apiVersion.split("/");
  const plural = path.split("/").at(-2);
  const { body } = await golden.world.server.request({
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`,
  });
  const versions = asList(at(body as JsonMap, "spec", "versions"));
  const served = versions.find((one) => asText(member(one, "name")) === version);
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}

async function casesOf(target: Target, number: number): Promise<readonly Case[]> {
  schemas.set(target.path, await schemaOf(target));
  const fields = fieldsOf(await golden.read(target.path));
  // Siblings first: that they stay is seen while the others are undone.
  const order = [...tampers].toSorted(
    (left, right) => Number(right === "add sibling") - Number(left === "add sibling"),
  );
  const all = order.flatMap((how, row) =>
    fields.map((field, column) => ({ target, field, how, manager: `m-${number}-${row}-${column}` })),
  );
  return all.filter(({ field, how }) => how === "delete" || field.at(-1)?.startsWith("f:") === true);
}

/** Whether the server was asked for something: it is undone where we own it, and left where we do not. */
async function play({ target, field, how, manager }: Case, siblings: Map<string, Path>): Promise<"write" | "none"> {
  const { server } = golden.world;
  const live = await golden.read(target.path);
  const ours = leavesOf(ownFields(live)).filter((path) => field.every((element, at) => element === path[at]));
  const name = `${how} ${target.ref.kind}/${target.ref.name} ${writePath(field)}`;
  const done = await tamper(how, { server, path: target.path, live, field, manager, schema: schemas.get(target.path) });
  if (done.kind === "refused") {
    refused.push(`${name}: ${done.why}`);
    return "none";
  }
  settled.push(name);
  if (!hasField(ownFields(live), done.field) && how === "add sibling") {
    siblings.set(JSON.stringify(valueAt(done.after, done.field)), done.field);
    return "none";
  }
  const isKept = (now: KubeObject) => ours.every((path) => equalJson(valueAt(now, path), valueAt(live, path)));
  if (isKept(done.after)) return "none"; // a default is what we want
  await golden
    .until(async () => {
      const now = await golden.read(target.path);
      expect(ours.map((path) => valueAt(now, path))).toEqual(ours.map((path) => valueAt(live, path)));
      expect(leavesOf(ownFields(now)).map(writePath)).toEqual(leavesOf(ownFields(live)).map(writePath));
    })
    .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  return "write";
}

/** As many cases as an object has tokens for; gives those that are left. */
async function playSome(target: Target, cases: readonly Case[]): Promise<readonly Case[]> {
  const before = golden.requests(target.path).length;
  const siblings = new Map<string, Path>();
  let writes = 0;
  let played = 0;
  for (; played < cases.length && writes < writesOfOneLife; played++) {
    const one = cases[played];
    if (one !== undefined && (await play(one, siblings)) === "write") writes++;
  }
  const live = await golden.read(target.path);
  for (const [value, field] of siblings)
    if (JSON.stringify(valueAt(live, field)) !== value) failures.push(`touched ${target.path} ${writePath(field)}`);
  const sent = () =>
    golden
      .requests(target.path)
      .slice(before)
      .map(({ requestURI }) => (requestURI.includes("dryRun=All") ? "dry" : "write"));
  const expected = Array.from({ length: writes }, () => ["dry", "write"]).flat();
  // The audit log may be a moment behind the object.
  const isLogged = vi.waitUntil(() => equalJson(sent(), expected), { timeout: 45_000, interval: 40 });
  await isLogged.catch(() => failures.push(`${target.path}: ${writes} corrections, requests ${sent().join(" ")}`));
  return cases.slice(played);
}

test("whatever is done to a field of ours is undone with two requests, and what is not ours is left alone", {
  timeout: 180_000,
}, async () => {
  let rest = await Promise.all(
    golden.targets.map(async (target, at) => ({ target, cases: await casesOf(target, at) })),
  );
  while (rest.some(({ cases }) => cases.length > 0)) {
    rest = await Promise.all(rest.map(async ({ target, cases }) => ({ target, cases: await playSome(target, cases) })));
    await operator.kill();
    operator = await golden.start(); // with full buckets
  }
  process.stdout.write(`${settled.length} cases, ${refused.length} that the server refused\n`);
  expect(failures).toEqual([]);
  expect(settled.length).toBeGreaterThan(300);
});

test("a field is agreed though the memory of it is gone, as the Machine Config Operator takes annotations away", async () => {
  const kubelet = golden.targets.find(({ ref }) => ref.kind === "KubeletConfig");
  const path = kubelet?.path ?? "";
  const isBack = async () => expect(at(await golden.read(path), "spec", "kubeletConfig", "maxPods")).toBe(500);
  await golden.edit(path, { spec: { kubeletConfig: { maxPods: 6 } } });
  await golden.until(isBack);
  await golden.edit(path, { metadata: { annotations: { [objectAnnotations.state]: null } } });
  await golden.edit(path, { spec: { kubeletConfig: { maxPods: 7 } } });
  await golden.until(isBack);
});
