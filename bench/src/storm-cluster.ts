import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JsonMap, KubeObject } from "@virt/api";
import type { Server } from "@virt/testkit";
import {
  fieldNames,
  golden,
  group,
  kindAt,
  kinds,
  listPath,
  namespace,
  ownKinds,
  type StormKind,
} from "../programs/storm-objects.ts";
import { ok } from "./advisor-cluster.ts";
import { createNamespace, inParallel } from "./config-maps.ts";
import type { OwnMetrics } from "./own-metrics.ts";
import { preparePlatform, startPlatform } from "./platform-cluster.ts";
import { programPath } from "./programs.ts";
import type { Rig } from "./scenario.ts";
import { pause, until } from "./wait.ts";

export async function prepareStorm(rig: Rig): Promise<void> {
  await preparePlatform(rig);
  await createNamespace(rig.api, namespace);
  await rig.api.installCrds(ownKinds.map(crdOf));
}

function crdOf({ kind, plural }: StormKind) {
  const text = { type: "string" };
  const fields = Object.fromEntries([...fieldNames, "value"].map((name) => [name, text]));
  const spec = { type: "object", properties: fields };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

export function startStorm(rig: Rig, metrics: OwnMetrics, objects: number) {
  const env = { OBJECTS: `${objects}` };
  const operator = startPlatform(rig, { program: programPath("storm"), flags: metrics.flags, env });
  const { stderr } = operator.process;
  if (stderr === null) throw new Error("the operator has no stderr");
  const lines = createInterface(stderr);
  /** Returns the event-loop delays since the last call, in milliseconds. */
  const delays = async () => {
    const answer = once(lines, "line");
    operator.process.kill("SIGUSR2");
    return JSON.parse(String((await answer)[0])) as readonly number[];
  };
  return { ...operator, delays };
}

/** Polls only twice a second, because each full list adds load on the server. */
export async function allGolden(api: Server, objects: number, limitMs: number): Promise<void> {
  await until(`${objects} objects are right`, limitMs, async () => {
    await pause(500);
    return (await goldenCount(api)) === objects;
  });
}

async function goldenCount(api: Server): Promise<number> {
  const lists = await Promise.all(kinds.map((kind) => api.request({ path: listPath(kind) })));
  const right = lists.map(({ body }, at) => {
    const { items } = body as { readonly items: readonly KubeObject[] };
    return items.filter((item) => item.metadata.name.startsWith("storm-") && valueOf(item, at) === golden).length;
  });
  return right.reduce((sum, count) => sum + count, 0);
}

function valueOf(object: KubeObject, at: number): unknown {
  return (object[kindAt(at).part] as JsonMap | undefined)?.["value"];
}

export async function driftAll(api: Server, objects: number): Promise<void> {
  await inParallel(objects, async (at) => {
    const kind = kindAt(at);
    const path = `${listPath(kind)}/storm-${at}?fieldManager=storm`;
    ok(await api.request({ method: "PATCH", path, body: { [kind.part]: { value: "blown away" } } }));
  });
}
