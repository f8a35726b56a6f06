// Writes the marker that ends an edit war. While it cannot be written, corrections stop all the same.

import { fieldManagers, type KubeObject } from "@virt/api";
import { patchObject, type Resource, type Writing, writingOf } from "@virt/kube";
import { objectAnnotations, type Verdict } from "@virt/platform";
import { type Acted, type Acting, failed } from "./acting.ts";
import { managedWatch } from "./watches.ts";

const manager = fieldManagers.platform;

export async function pauseNow(verdict: Extract<Verdict, { kind: "pause" }>, acting: Acting): Promise<Acted> {
  const { live, memory, parts, tools, key, object } = acting;
  const found = await parts.discovery.find(object.ref, tools.signal, tools.sender);
  const { resourceVersion } = live?.metadata ?? {};
  const annotations = { [objectAnnotations.paused]: "true", [objectAnnotations.state]: verdict.state };
  const held = { ...memory, unwrittenPause: verdict.paused };
  parts.memory.set(key, held);
  const unwritten = (why: Writing) => failed(why, acting, "the pause cannot be written: ");
  if (found.kind === "not-served") return unwritten({ kind: "missing", what: "kind" });
  if (found.kind === "unavailable") return unwritten(found);
  if (resourceVersion === undefined) return unwritten({ kind: "absent" });
  const place = { name: object.ref.name, ...(object.ref.namespace && { namespace: object.ref.namespace }) };
  const body = { metadata: { resourceVersion, annotations } };
  const request = patchObject(found.resource satisfies Resource, place, body, { type: "merge", fieldManager: manager });
  const written = writingOf(await tools.sender.send(request, { signal: tools.signal, mayWrite: tools.mayWrite }));
  if (written.kind !== "done" || written.live === undefined) return unwritten(written);
  tools.wrote(managedWatch(object.ref, parts.settings.hcoNamespace), written.live);
  const { unwrittenPause: _written, ...rest } = { ...held, bucket: verdict.bucket };
  parts.memory.set(key, { ...rest, ...(rest.answer && { answer: pausedAnswer(rest.answer, verdict.state) }) });
  return { kept: { kind: "paused-now", verdict }, ending: { kind: "done" } };
}

/** What we know of the fight ends with the pause, whatever becomes of the object's own memory. */
function pausedAnswer({ metadata, ...answer }: KubeObject, state: string): KubeObject {
  const annotations = { ...metadata.annotations, [objectAnnotations.state]: state };
  return { ...answer, metadata: { ...metadata, annotations } };
}
