// Sends probes to an API server as dry runs.

import type { ApiResponse, Server } from "@virt/testkit";
import type { Definition } from "./definitions.ts";
import { type Tree, valueAt } from "./paths.ts";
import { manager, type ProbeResult, summarizeResponse } from "./probe-result.ts";
import type { Probe, Way } from "./probes.ts";

export type Target = { readonly server: Server; readonly definition: Definition; readonly paths: readonly string[] };

export const namespace = "probes";
const rehearsal = "dryRun=All&fieldValidation=Strict";

/** Returns results in the order of the probes. Cleans up. */
export async function askAll(target: Target, probes: readonly Probe[], sample: Tree): Promise<readonly ProbeResult[]> {
  const isOfStatus = ({ way }: Probe) => way.endsWith("status");
  const askEach = (isMeant: (probe: Probe) => boolean, live: Tree) =>
    Promise.all(probes.map(async (probe) => (isMeant(probe) ? ask(target, probe, live) : undefined)));
  const first = await askEach((probe) => !isOfStatus(probe), sample);
  if (!probes.some(isOfStatus)) return first.flatMap((result) => result ?? []);
  const second = await askEach(isOfStatus, await keepSample(target, sample));
  await target.server.request({ method: "DELETE", path: pathOf(target.definition, sample) });
  return first.flatMap((result, index) => result ?? second[index] ?? []);
}

async function ask(target: Target, { way, object }: Probe, live: Tree): Promise<ProbeResult> {
  return summarizeResponse(await send(target, way, object, live), target.paths);
}

function send({ server, definition }: Target, way: Way, object: Tree, live: Tree): Promise<ApiResponse> {
  const one = pathOf(definition, object);
  const apply = { method: "PATCH", contentType: "application/apply-patch+yaml" } as const;
  const byManager = `${rehearsal}&fieldManager=${manager}&force=true`;
  const { spec: _, ...withoutSpec } = object;
  switch (way) {
    case "create":
      return server.request({ method: "POST", path: `${pathOf(definition)}?${rehearsal}`, body: object });
    case "apply":
      return server.request({ ...apply, path: `${one}?${byManager}`, body: object });
    case "status": {
      const body = { ...live, status: object["status"] };
      return server.request({ method: "PUT", path: `${one}/status?${rehearsal}`, body });
    }
    case "apply status":
      return server.request({ ...apply, path: `${one}/status?${byManager}`, body: withoutSpec });
  }
}

// Stores the sample, because rules such as "must not decrease" need an existing status.
async function keepSample({ server, definition }: Target, sample: Tree): Promise<Tree> {
  const made = await server.request({ method: "POST", path: pathOf(definition), body: sample });
  const body = { ...(made.body as Tree), status: sample["status"] };
  const kept = await server.request({ method: "PUT", path: `${pathOf(definition, sample)}/status`, body });
  if (kept.status !== 200) throw new Error(`cannot keep the sample: ${JSON.stringify([made.body, kept.body])}`);
  return kept.body as Tree;
}

function pathOf({ group, version, plural, isNamespaced }: Definition, object?: Tree): string {
  const all = `/apis/${group}/${version}/${isNamespaced ? `namespaces/${namespace}/` : ""}${plural}`;
  return object === undefined ? all : `${all}/${String(valueAt(object, "metadata.name"))}`;
}
