// Finds the control plane's programs, or downloads or builds them.

import { cacheFolder, findCached, missingPrograms, readPinnedVersions } from "./binary-cache.ts";
import { buildWithGo, goVersion } from "./go-build.ts";
import { fetchPublished, officialIndex } from "./published-archive.ts";

type BinarySource = "KUBEBUILDER_ASSETS" | "cache" | "published archive" | "Go build";

type FindBinariesResult =
  | { readonly kind: "found"; readonly folder: string; readonly source: BinarySource }
  | { readonly kind: "absent"; readonly tried: readonly FailedSource[] };

type FailedSource = { readonly source: BinarySource; readonly why: string };

/** Throws if KUBEBUILDER_ASSETS is set but incomplete. */
export async function findBinaries(env: NodeJS.ProcessEnv): Promise<FindBinariesResult> {
  const assets = env["KUBEBUILDER_ASSETS"];
  if (assets) {
    const missing = missingPrograms(assets);
    if (missing.length === 0) return { kind: "found", folder: assets, source: "KUBEBUILDER_ASSETS" };
    // An explicit choice must not be replaced silently.
    throw new Error(
      `KUBEBUILDER_ASSETS is ${assets}, but that folder has no ${missing.join(", no ")}; correct it or unset it`,
    );
  }
  const folder = cacheFolder(env);
  const kept = findCached(folder, await goVersion(env));
  if (kept !== undefined) return { kind: "found", folder: kept, source: "cache" };
  const tried = [
    { source: "KUBEBUILDER_ASSETS", why: "not set" },
    { source: "cache", why: `nothing in ${folder}` },
  ] as const;
  return { kind: "absent", tried };
}

type ObtainedBinaries = { readonly folder: string; readonly source: BinarySource };

/** Downloads or builds missing programs and caches them. The error message lists all attempts and what to do. */
export async function obtainBinaries(
  env: NodeJS.ProcessEnv,
  report: (progress: string) => void,
): Promise<ObtainedBinaries> {
  const found = await findBinaries(env);
  if (found.kind === "found") return found;
  const pins = readPinnedVersions();
  const place = cacheFolder(env);
  const index = env["CONTROLPLANE_INDEX"] || officialIndex;
  const published = await fetchPublished({ index, version: pins.kubernetes, cacheDir: place, report });
  if ("folder" in published) return { folder: published.folder, source: "published archive" };
  const tried: FailedSource[] = [...found.tried, { source: "published archive", why: published.failed }];

  const version = await goVersion(env);
  if (version === undefined)
    throw new Error(describeFailure([...tried, { source: "Go build", why: "there is no go command" }]));
  const built = await buildWithGo({ pins, cacheDir: place, goVersion: version, env, report });
  if ("folder" in built) return { folder: built.folder, source: "Go build" };
  throw new Error(describeFailure([...tried, { source: "Go build", why: `failed\n${indent(built.failed)}` }]));
}

function describeFailure(tried: readonly FailedSource[]): string {
  const { kubernetes, etcd } = readPinnedVersions();
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
