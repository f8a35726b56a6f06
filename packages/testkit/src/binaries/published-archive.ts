// Downloads the control plane that Kubernetes publishes for tests and verifies its checksum.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { binaryNames, missingPrograms } from "./binary-cache.ts";

export const officialIndex =
  "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

type PublishedOptions = {
  readonly index: string;
  readonly version: string;
  readonly cacheDir: string;
  readonly report: (progress: string) => void;
};

type FetchResult = { readonly folder: string } | { readonly failed: string };

type Archive = { readonly hash: string; readonly selfLink: string };
type Index = { readonly releases?: Readonly<Record<string, Readonly<Record<string, Archive>>>> };

const indexBytes = 2_000_000;
const archiveBytes = 300_000_000;
const downloadTimeoutMs = { connect: 5_000, archive: 300_000 };

export async function fetchPublished({ index, version, cacheDir, report }: PublishedOptions): Promise<FetchResult> {
  try {
    report("asking for the published archive");
    const listing = load((await download(index, indexBytes, downloadTimeoutMs.connect)).toString()) as
      | Index
      | undefined;
    const file = `envtest-v${version}-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}.tar.gz`;
    const archive = listing?.releases?.[`v${version}`]?.[file];
    if (archive === undefined) return { failed: `${file} is not published` };
    const bytes = await download(archive.selfLink, archiveBytes, downloadTimeoutMs.archive, report);
    const hash = createHash("sha512").update(bytes).digest("hex");
    if (hash !== archive.hash) return { failed: `${file} has another checksum than the index says; it was not used` };
    return unpackArchive(bytes, cacheDir);
  } catch (error) {
    return { failed: describeError(error) };
  }
}

async function download(
  url: string,
  limit: number,
  patience: number,
  report?: (text: string) => void,
): Promise<Buffer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(patience) });
  if (!answer.ok || answer.body === null) throw new Error(`${new URL(url).host} answered ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > limit) throw new Error(`${url} is larger than ${limit} bytes`);
    chunks.push(chunk);
    report?.(`${Math.round(size / 1_000_000)} MB downloaded`);
  }
  return Buffer.concat(chunks);
}

function unpackArchive(archive: Buffer, cacheDir: string): FetchResult {
  mkdirSync(cacheDir, { recursive: true });
  const staging = mkdtempSync(join(cacheDir, ".unpacking-"));
  try {
    const tar = spawnSync("tar", ["-xzf", "-", "-C", staging], { input: archive });
    if (tar.status !== 0) return { failed: `tar: ${tar.error?.message ?? tar.stderr.toString().trim()}` };
    const folder = join(cacheDir, "published");
    mkdirSync(folder, { recursive: true });
    for (const path of readdirSync(staging, { recursive: true, encoding: "utf8" })) {
      const program = binaryNames.find((name) => path === name || path.endsWith(`/${name}`));
      if (program === undefined) continue;
      chmodSync(join(staging, path), 0o755);
      renameSync(join(staging, path), join(folder, program));
    }
    const missing = missingPrograms(folder);
    return missing.length === 0 ? { folder } : { failed: `the archive has no ${missing.join(", no ")}` };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `not reachable (${cause.message})` : error.message;
}
