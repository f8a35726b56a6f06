import { type JsonMap, type KubeObject } from "@virt/api";
import {
  asList,
  asText,
  at,
  equalJson,
  hasField,
  leavesOf,
  member,
  type Path,
  valueAt,
  writePath,
} from "@virt/objects";
import { beforeAll, expect, test, vi } from "vitest";
import { distinctTargets, type ManagedTarget, now } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { editField, type FieldEdit, fieldEdits } from "./edit-field.ts";
import { isElementKey, MatrixResults, objectName, ownFields, runFieldMatrix } from "./field-matrix.ts";

const hangsAfterMs = 400_000;
const platform = sharePlatform();
beforeAll(() => runFieldMatrix(platform, { casesOf, runSome }), hangsAfterMs);

type Case = { readonly target: ManagedTarget; readonly field: Path; readonly how: FieldEdit; readonly manager: string };

const isState = (path: Path) => writePath(path).endsWith("platform.kubevirt.io~1state");

/** The panels of a dashboard have the same fields, so that the first one is enough. */
const isFurtherPanel = (path: Path) => /\/panels\/panel(?!1\/)/.test(writePath(path));

/** Includes the whole element for its key, because an element without its key is a different one. */
function fieldsOf(object: KubeObject): readonly Path[] {
  const fields = leavesOf(ownFields(object)).filter((path) => !isState(path) && !isFurtherPanel(path));
  const whole = fields.map((path) => (isElementKey(path) ? path.slice(0, -1) : path));
  return [...new Map(whole.map((path) => [writePath(path), path])).values()];
}

/** Leaves a token for every write. */
const writesOfOneLife = 9;
const results = new MatrixResults();
const refused: string[] = [];
const groupOf = (target: ManagedTarget, how: FieldEdit) => `${how} ${objectName(target)}`;

const schemas = new Map<string, JsonMap | undefined>();
async function schemaOf({ ref, path }: ManagedTarget): Promise<JsonMap | undefined> {
  const [group, version] = ref.apiVersion.split("/");
  const plural = path.split("/").at(-2);
  const { body } = await platform.testCluster.server.request({
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`,
  });
  const versions = asList(at(body as JsonMap, "spec", "versions"));
  const served = versions.find((one) => asText(member(one, "name")) === version);
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}

async function casesOf(target: ManagedTarget, number: number): Promise<readonly Case[]> {
  schemas.set(target.path, await schemaOf(target));
  const fields = fieldsOf(await platform.read(target.path));
  // Adds siblings first and checks at the end that later corrections kept them.
  const order = [...fieldEdits].toSorted(
    (left, right) => Number(right === "add sibling") - Number(left === "add sibling"),
  );
  const all = order.flatMap((how, row) =>
    fields.map((field, column) => ({ target, field, how, manager: `m-${number}-${row}-${column}` })),
  );
  return all.filter(({ field, how }) => how === "delete" || field.at(-1)?.startsWith("f:") === true);
}

/** Edits a field. Expects a correction if we own it, and none otherwise. */
async function tryCase({ target, field, how, manager }: Case, siblings: Map<string, Path>): Promise<"write" | "none"> {
  const { server } = platform.testCluster;
  const live = await platform.read(target.path);
  const ours = leavesOf(ownFields(live)).filter((path) => field.every((element, at) => element === path[at]));
  const name = `${groupOf(target, how)} ${writePath(field)}`;
  const done = await editField(how, {
    server,
    path: target.path,
    live,
    field,
    manager,
    schema: schemas.get(target.path),
  });
  if (done.kind === "refused") {
    refused.push(`${name}: ${done.why}`);
    return "none";
  }
  results.tried.push(name);
  if (!hasField(ownFields(live), done.field) && how === "add sibling") {
    siblings.set(JSON.stringify(valueAt(done.after, done.field)), done.field);
    return "none";
  }
  const isKept = (now: KubeObject) => ours.every((path) => equalJson(valueAt(now, path), valueAt(live, path)));
  if (isKept(done.after)) return "none"; // the default is the desired value
  await platform
    .until(async () => {
      const now = await platform.read(target.path);
      expect(ours.map((path) => valueAt(now, path))).toEqual(ours.map((path) => valueAt(live, path)));
      expect(leavesOf(ownFields(now)).map(writePath)).toEqual(leavesOf(ownFields(live)).map(writePath));
    })
    .catch((error: Error) => results.fail(groupOf(target, how), `${writePath(field)}: ${error.message}`));
  return "write";
}

async function runSome(target: ManagedTarget, cases: readonly Case[]): Promise<number> {
  const from = now();
  const siblings = new Map<string, Path>();
  let writes = 0;
  let tried = 0;
  for (; tried < cases.length && writes < writesOfOneLife; tried++) {
    const one = cases[tried];
    if (one !== undefined && (await tryCase(one, siblings)) === "write") writes++;
  }
  const live = await platform.read(target.path);
  for (const [value, field] of siblings)
    if (JSON.stringify(valueAt(live, field)) !== value)
      results.fail(groupOf(target, "add sibling"), `touched ${writePath(field)}`);
  const sent = () =>
    platform.requests(target.path, from).map(({ requestURI }) => (requestURI.includes("dryRun=All") ? "dry" : "write"));
  const expected = Array.from({ length: writes }, () => ["dry", "write"]).flat();
  // The audit log can be late.
  const isLogged = vi.waitUntil(() => equalJson(sent(), expected), { timeout: 120_000, interval: 40 });
  await isLogged.catch(() => results.fail(objectName(target), `${writes} corrections, requests ${sent().join(" ")}`));
  return tried;
}

const groups = distinctTargets.flatMap((target) => fieldEdits.map((how) => ({ how, object: objectName(target) })));

test.each(groups)("$how on any field of $object: corrects own fields, keeps foreign ones", ({ how, object }) => {
  expect(results.problemsOf(`${how} ${object}`)).toEqual([]);
});

test.each(distinctTargets.map(objectName))("each correction of %s takes a dry run and a write", (object) => {
  expect(results.problemsOf(object)).toEqual([]);
});

test("tries more than 300 edits", () => {
  process.stdout.write(`${results.tried.length} cases, ${refused.length} that the server refused\n`);
  expect(results.tried.length).toBeGreaterThan(300);
});

test("corrects drift after another client removed our state", async () => {
  const path = objectPaths.kubelet;
  const isBack = async () => expect(await platform.specOf(path, "kubeletConfig", "maxPods")).toBe(500);
  await platform.edit(path, { spec: { kubeletConfig: { maxPods: 6 } } });
  await platform.until(isBack);
  await platform.annotate(path, { state: null });
  await platform.edit(path, { spec: { kubeletConfig: { maxPods: 7 } } });
  await platform.until(isBack);
});
