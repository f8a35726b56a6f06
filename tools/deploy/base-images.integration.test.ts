// Base images are named in one file, and pinned there by a command.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { baseArguments, pinBaseImages, readBaseImages } from "./base-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

/** A folder with the committed file and a skopeo that runs this script. */
function folderWith(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "base-images-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "skopeo"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(join(folder, "images.json"), readFileSync("base-images.json"));
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return join(folder, "images.json");
}

test("the build takes the pinned digests, unless the environment names other images", () => {
  const file = folderWith(`echo ${digest}`);
  pinBaseImages(file);
  const images = readBaseImages(file);
  expect(baseArguments(images, {})).toEqual({
    BUILDER: `${images.BUILDER.image}@${digest}`,
    BASE: `${images.BASE.image}@${digest}`,
  });
  expect(baseArguments(images, { BASE: "mine/base" })).toMatchObject({ BASE: "mine/base" });
});

test("a digest that cannot be read leaves the file as it is, and the error names the image", () => {
  const file = folderWith("echo 'no such host' >&2; exit 1");
  expect(() => pinBaseImages(file)).toThrow(/nodejs-24: no such host/);
  expect(readBaseImages(file)).toEqual(readBaseImages());
});

test("the Dockerfile names no image", () => {
  const dockerfile = readFileSync("Dockerfile", "utf8");
  expect(dockerfile).not.toContain("registry.");
  expect([...dockerfile.matchAll(/^ARG (.*)$/gm)].map(([, name]) => name)).toEqual(["BUILDER", "BASE"]);
});
