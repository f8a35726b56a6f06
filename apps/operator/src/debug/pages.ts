// The read-only debug pages, which show what the controller would do based on its current caches.

import type { Json } from "@virt/api";
import type { ClusterReader, Route, RouteReply, RouteRequest, Routes } from "@virt/kube";
import { writeYaml } from "@virt/objects";
import {
  exclusionsOf,
  type FeatureRow,
  factsOf,
  featureStates,
  objectKey,
  objectRow,
  type Preview,
  renderDocuments,
  renderEntries,
  rowsOf,
} from "@virt/platform";
import { liveFactsOf } from "../platform/publish.ts";
import type { PlatformRuntime } from "../platform/runtime.ts";
import { loadInputs, previewsOf, type Snapshot } from "../platform/snapshot.ts";
import { isGone } from "../platform/tombstones.ts";
import type { SnapshotCache } from "../platform/wanted-informers.ts";

type DebugOptions = {
  readonly runtime: PlatformRuntime;
  readonly snapshots: SnapshotCache;
  readonly features: readonly FeatureRow[];
  readonly reader: (signal: AbortSignal) => ClusterReader;
};

/** Serves the pages on every replica. A standby replica reads missing inputs on demand. */
export function debugPages(debug: DebugOptions): Routes {
  const servePage = pageServer(async (signal) => takeDebugSnapshot(debug, signal));
  const { runtime, features } = debug;
  return {
    "/debug/render": servePage(({ previews }, { query }, print) =>
      print.documents(
        renderEntries(previews, { showExcluded: query.get("show-excluded") === "true" }),
        renderDocuments,
      ),
    ),
    "/debug/render/": servePage(({ previews }, { rest }, print) =>
      isAsset(previews, rest)
        ? print.documents(renderEntries(previews, { asset: rest, showExcluded: true }), renderDocuments)
        : notFound(rest),
    ),
    "/debug/exclusions": servePage(({ previews }, _, print) => print.value(exclusionsOf(previews.flatMap(rowsOf)))),
    "/debug/objects": servePage(({ previews }, _, print) =>
      print.value(previews.map((preview) => objectRow(preview, liveFactsOf(objectKey(preview.object.ref), runtime)))),
    ),
    "/debug/features": servePage(({ previews }, _, print) =>
      print.value(featureStates(features, previews.flatMap(rowsOf))),
    ),
    "/debug/tombstones": servePage((_, __, print) =>
      print.value(runtime.tombstones.map((one) => ({ ...one, isDone: isGone(one, runtime) }))),
    ),
    "/debug/facts": servePage(({ snapshot }, _, print) => print.value(factsOf(snapshot.facts, runtime.assets))),
    "/debug/health": () => ({ status: 200, body: "OK\n" }),
  };
}

type DebugSnapshot = { readonly snapshot: Snapshot; readonly previews: readonly Preview[] };

async function takeDebugSnapshot(
  { runtime, snapshots, reader }: DebugOptions,
  signal: AbortSignal,
): Promise<DebugSnapshot | undefined> {
  const cluster = reader(signal);
  const current = snapshots.current();
  const inputs = { cluster, hco: current?.facts.hco };
  await Promise.all((current?.objects ?? []).map((object) => loadInputs(object, runtime, inputs)));
  const snapshot = snapshots.current();
  if (snapshot === undefined) return undefined;
  return { snapshot, previews: previewsOf(snapshot, runtime) };
}

function isAsset(previews: readonly Preview[], name: string): boolean {
  return previews.some(({ object }) => object.assets.some((asset) => asset.name === name));
}

function notFound(name: string): RouteReply {
  return { status: 404, body: `Asset not found: ${name}\n` };
}

type PagePrinter = {
  readonly value: (value: unknown) => RouteReply;
  readonly documents: <T>(entries: readonly T[], asYaml: (entries: readonly T[]) => string) => RouteReply;
};

type PageContent<Content> = (content: Content, request: RouteRequest, print: PagePrinter) => RouteReply;

const printers: Readonly<Record<string, PagePrinter>> = {
  yaml: {
    value: (value) => yamlReply(writeYaml(toJson(value))),
    documents: (entries, asYaml) => yamlReply(asYaml(entries)),
  },
  json: { value: (value) => jsonReply(value), documents: (entries) => jsonReply(entries) },
};

/** Calls `takeContent` for each request. It returns undefined if there is no HyperConverged. */
function pageServer<Content>(takeContent: (signal: AbortSignal) => Promise<Content | undefined>) {
  return (render: PageContent<Content>): Route =>
    async (request) => {
      const format = request.query.get("format") ?? "yaml";
      const print = Object.hasOwn(printers, format) ? printers[format] : undefined;
      if (print === undefined) return { status: 400, body: `Unsupported format: ${format}\n` };
      const content = await takeContent(request.signal);
      if (content === undefined) return { status: 503, body: "no HyperConverged resource found\n" };
      return render(content, request, print);
    };
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function yamlReply(body: string): RouteReply {
  return { status: 200, body, type: "application/yaml; charset=utf-8" };
}

function jsonReply(value: unknown): RouteReply {
  return { status: 200, body: `${JSON.stringify(value, null, 2)}\n`, type: "application/json; charset=utf-8" };
}
