// The build, made twice from clean copies of the sources: the same bytes, wherever and whenever it is made.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, expect, test } from "vitest";

const place = mkdtempSync(join(tmpdir(), "reproducible-test-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("two clean builds in two folders make the same files, byte by byte", () => {
  const first = buildIn(join(place, "here"));
  const second = buildIn(join(place, "in", "another", "folder"));
  expect([...first.keys()].toSorted()).toEqual(
    expect.arrayContaining(["THIRD_PARTY_NOTICES", "sbom.cdx.json", "virt-operator.mjs"]),
  );
  expect([...second.keys()]).toEqual([...first.keys()]);
  for (const [name, content] of first) expect(second.get(name)?.equals(content), `${name} is the same`).toBe(true);
  expect([...first.values()].filter((content) => content.includes(place))).toEqual([]);
});

test("the bill of materials lists every file that the image takes, with the hash that it has", () => {
  const built = buildIn(join(place, "listed")).get("sbom.cdx.json")?.toString() ?? "";
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
    const content = readFileSync(join(place, "listed", folder, name));
    expect(hashes[0]).toEqual({ alg: "SHA-256", content: createHash("sha256").update(content).digest("hex") });
  }
});

type Component = { readonly type: string; readonly name: string; readonly hashes: readonly object[] };

/** The built files by name. */
function buildIn(folder: string): ReadonlyMap<string, Buffer> {
  copySources(folder);
  installPackages(folder);
  execFileSync(process.execPath, ["tools/build.ts"], { cwd: folder, stdio: "pipe" });
  const dist = join(folder, "dist");
  return new Map(readdirSync(dist).map((name) => [name, readFileSync(join(dist, name))]));
}

function copySources(folder: string): void {
  const filter = (path: string) => basename(path) !== "node_modules";
  for (const part of ["apps", "packages", "catalog", "tools", "package.json", "package-lock.json", "LICENSE"])
    cpSync(inRepository(part), join(folder, part), { recursive: true, filter });
}

// The bundler is the same one; what it takes in is copied, so that its paths differ too.
function installPackages(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@virt"), { recursive: true });
  symlinkSync(inRepository("node_modules", "esbuild"), join(modules, "esbuild"));
  for (const own of [...globSync(`${folder}/packages/*`), join(folder, "catalog")])
    symlinkSync(own, join(modules, "@virt", basename(own)));
  const lock = JSON.parse(readFileSync(inRepository("package-lock.json"), "utf8")) as Lock;
  for (const [path, { dev, optional, link }] of Object.entries(lock.packages)) {
    if (path.startsWith("node_modules/") && !dev && !optional && !link)
      cpSync(inRepository(path), join(folder, path), { recursive: true });
  }
}

type Lock = { readonly packages: Readonly<Record<string, { dev?: true; optional?: true; link?: true }>> };
