import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { bundling } from "../../bundling.ts";
import { noticesOf } from "./notices.ts";
import { sbomOf } from "./sbom.ts";
import { bundledSources, type LockFile, packageFolder, shippedPackages } from "./shipped.ts";

const lock = JSON.parse(readFileSync(inRepository("package-lock.json"), "utf8")) as LockFile;

let sources: readonly string[];

beforeAll(async () => {
  const place = { absWorkingDir: inRepository(), entryPoints: ["apps/operator/src/main.ts"], outfile: "any.mjs" };
  const bundled = await build({ ...bundling, ...place, metafile: true, write: false });
  sources = bundledSources(bundled.metafile);
});

const folders = [
  { file: "node_modules/pino/lib/proto.js", folder: "node_modules/pino" },
  { file: "node_modules/@pinojs/redact/index.js", folder: "node_modules/@pinojs/redact" },
  { file: "node_modules/a/node_modules/@b/c/index.js", folder: "node_modules/a/node_modules/@b/c" },
  { file: "../elsewhere/node_modules/pino/pino.js", folder: "node_modules/pino" },
  { file: "packages/kube/src/index.ts", folder: undefined },
];

test.each(folders)("$file belongs to $folder", ({ file, folder }) => {
  expect(packageFolder(file)).toBe(folder);
});

test("every bundled file is ours or belongs to a listed package", () => {
  const listed = new Set(shippedPackages(sources, lock).map(({ folder }) => folder));
  const isOurs = (file: string) => /^(apps|packages|catalog)\/|^(import-statement|require-call|unused):/.test(file);
  const strange = sources.filter((file) => !isOurs(file) && !listed.has(packageFolder(file) ?? ""));
  expect(strange).toEqual([]);
  expect(sources.length).toBeGreaterThan(listed.size);
});

test("ships at most 15 third-party packages, each with its locked hash", () => {
  const packages = shippedPackages(sources, lock);
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.length).toBeLessThanOrEqual(15);
  expect(packages.filter(({ integrity }) => !integrity.startsWith("sha512-"))).toEqual([]);
});

test("rejects a package that the lock file lacks", () => {
  expect(() => shippedPackages(sources, { packages: {} })).toThrow(
    /package-lock.json has no version, licence and integrity of node_modules/,
  );
});

test("the bill of materials has files, packages, hashes and dependencies", () => {
  const integrity = `sha512-${Buffer.from("0a0b", "hex").toString("base64")}`;
  const shipped = { folder: "node_modules/@a/b", name: "@a/b", version: "1.0.0", license: "MIT", integrity };
  const sbom = JSON.parse(
    sbomOf({ version: "2.0.0", files: [{ name: "program.mjs", content: "", packages: [shipped] }] }),
  );
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  expect(sbom.components).toMatchObject([
    { type: "file", name: "program.mjs", hashes: [{ alg: "SHA-256", content: empty }, { alg: "SHA-512" }] },
    { type: "library", name: "@a/b", purl: "pkg:npm/%40a/b@1.0.0", hashes: [{ alg: "SHA-512", content: "0a0b" }] },
  ]);
  expect(sbom.dependencies).toEqual([
    { ref: "virt-operators@2.0.0", dependsOn: ["file:program.mjs"] },
    { ref: "file:program.mjs", dependsOn: ["pkg:npm/%40a/b@1.0.0"] },
  ]);
});

test("the notices have the licence of each package, and no other", () => {
  const packages = shippedPackages(sources, lock);
  const notices = noticesOf(packages, inRepository());
  const titles = [...notices.matchAll(/^-{80}\n(.*)\n-{80}$/gm)].map(([, title]) => title);
  expect(titles).toEqual(packages.map(({ name, version, license }) => `${name} ${version} (${license})`));
  expect(notices).toContain("Permission is hereby granted, free of charge");
});
