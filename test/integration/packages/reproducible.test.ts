// Two builds from clean copies of the sources give the same bytes.
// @module-tag thorough

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, expect, test } from "vitest";

const place = mkdtempSync(join(tmpdir(), "reproducible-test-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("two clean builds produce identical files", { timeout: 600_000 }, () => {
  const first = buildIn(join(place, "here"));
  const second = buildIn(join(place, "in", "another", "folder"));
  expect([...first.keys()].toSorted()).toEqual(
    expect.arrayContaining(["THIRD_PARTY_NOTICES", "sbom.cdx.json", "virt-console-plugin.mjs", "virt-operator.mjs"]),
  );
  expect([...second.keys()]).toEqual([...first.keys()]);
  for (const [name, content] of first) expect(second.get(name)?.equals(content), `${name} is the same`).toBe(true);
  expect([...first.values()].filter((content) => content.includes(place))).toEqual([]);
});

test("the SBOM lists every file of the image with its hash", () => {
  const built = readFileSync(join(place, "here", "dist", "sbom.cdx.json"), "utf8");
  const { components } = JSON.parse(built) as { components: readonly Component[] };
  const files = components.filter(({ type }) => type === "file");
  const copied =
    readFileSync(inRepository("Dockerfile"), "utf8")
      .match(/^COPY --from=build .*$/gm)
      ?.join(" ") ?? "";
  const taken = [...copied.matchAll(/\/([\w.-]+)(?= )/g)].map(([, name]) => name ?? "");
  expect(taken.toSorted()).toEqual([...files.map(({ name }) => name), "sbom.cdx.json"].toSorted());
  for (const { name, hashes } of files) {
    const folder = name === "LICENSE" ? "." : "dist";
    const content = readFileSync(join(place, "here", folder, name));
    expect(hashes[0]).toEqual({ alg: "SHA-256", content: createHash("sha256").update(content).digest("hex") });
  }
});

type Component = { readonly type: string; readonly name: string; readonly hashes: readonly object[] };

function buildIn(folder: string): ReadonlyMap<string, Buffer> {
  copySources(folder);
  installPackages(folder);
  execFileSync(process.execPath, ["tools/build.ts"], { cwd: folder, stdio: "pipe" });
  const dist = join(folder, "dist");
  const files = globSync("**/*", { cwd: dist }).filter((name) => statSync(join(dist, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(dist, name))]));
}

function copySources(folder: string): void {
  const filter = (path: string) => basename(path) !== "node_modules";
  for (const part of ["apps", "packages", "catalog", "tools", "package.json", "package-lock.json", "LICENSE"])
    cpSync(inRepository(part), join(folder, part), { recursive: true, filter });
}

// Links the bundlers and the reader of option declarations. Copies the bundled packages, so that their paths differ too.
function installPackages(folder: string): void {
  const modules = join(folder, "node_modules");
  const ofConsole = join("apps", "console", "node_modules");
  mkdirSync(join(modules, "@virt"), { recursive: true });
  for (const name of ["esbuild", "esbuild-loader", "webpack", "zod"])
    symlinkSync(inRepository("node_modules", name), join(modules, name));
  symlinkSync(inRepository(ofConsole), join(folder, ofConsole));
  for (const own of [...globSync(`${folder}/{packages,apps}/*`), join(folder, "catalog")])
    symlinkSync(own, join(modules, "@virt", basename(own)));
  const lock = JSON.parse(readFileSync(inRepository("package-lock.json"), "utf8")) as Lock;
  for (const [path, { dev, optional, link }] of Object.entries(lock.packages)) {
    const isOutermost = path.lastIndexOf("node_modules/") === 0; // nested packages are copied with their parent
    if (!isOutermost || dev || optional || link) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyPackage(inRepository(path), join(folder, path));
  }
}

/** Uses hard links if possible, because there are tens of thousands of files. */
function copyPackage(from: string, to: string): void {
  const isLinked = spawnSync("cp", ["-alT", from, to]).status === 0;
  if (!isLinked) execFileSync("cp", ["-aT", from, to]);
}

type Lock = { readonly packages: Readonly<Record<string, { dev?: true; optional?: true; link?: true }>> };
