// Gets the control plane's programs, from the nearest place that has them.

import { shelf } from "./cache.ts";
import { type Attempt, findBinaries, type Source } from "./find.ts";
import { buildWithGo, goVersion } from "./go.ts";
import { readPins } from "./pins.ts";
import { fetchPublished, officialIndex } from "./published.ts";

export type Obtained = { readonly folder: string; readonly source: Source };

/** Throws one message that says what was tried and what a person can do. */
export async function obtainBinaries(env: NodeJS.ProcessEnv, report: (progress: string) => void): Promise<Obtained> {
  const found = await findBinaries(env);
  if (found.kind === "found") return found;
  const pins = readPins();
  const place = shelf(env);
  const index = env["CONTROLPLANE_INDEX"] || officialIndex;
  const published = await fetchPublished({ index, version: pins.kubernetes, shelf: place, report });
  if ("folder" in published) return { folder: published.folder, source: "published archive" };
  const tried: Attempt[] = [...found.tried, { source: "published archive", why: published.failed }];

  const version = await goVersion(env);
  if (version === undefined)
    throw new Error(missing([...tried, { source: "Go build", why: "there is no go command" }]));
  const built = await buildWithGo({ pins, shelf: place, goVersion: version, env, report });
  if ("folder" in built) return { folder: built.folder, source: "Go build" };
  throw new Error(missing([...tried, { source: "Go build", why: `failed\n${indent(built.failed)}` }]));
}

function missing(tried: readonly Attempt[]): string {
  const { kubernetes, etcd } = readPins();
  return [
    `cannot get a control plane (kube-apiserver ${kubernetes}, etcd ${etcd}, kubectl). Tried:`,
    ...tried.map(({ source, why }) => `  - ${source}: ${why}`),
    "Do one of these, then run the same command again:",
    "  - install Go 1.26 or later (https://go.dev/dl) and be online once: it is built here in about four minutes, then cached",
    "  - set KUBEBUILDER_ASSETS to a folder that holds kube-apiserver, etcd and kubectl",
  ].join("\n");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `      ${line}`)
    .join("\n");
}
