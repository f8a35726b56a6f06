import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type BaseImages, baseArguments, pinBaseImages, readBaseImages, unpinnedWarning } from "./base-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

function folderWith(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "base-images-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "skopeo"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(join(folder, "images.json"), readFileSync("base-images.json"));
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return join(folder, "images.json");
}

test("the build uses pinned digests unless the environment names images", () => {
  const file = folderWith(`echo ${digest}`);
  pinBaseImages(file);
  const images = readBaseImages(file);
  expect(baseArguments(images, {})).toEqual({
    BUILDER: `${images.BUILDER.image}@${digest}`,
    BASE: `${images.BASE.image}@${digest}`,
  });
  expect(baseArguments(images, { BASE: "mine/base" })).toMatchObject({ BASE: "mine/base" });
});

test("an unreadable digest leaves the file unchanged and names the image", () => {
  const file = folderWith("echo 'no such host' >&2; exit 1");
  expect(() => pinBaseImages(file)).toThrow(/nodejs-24: no such host/);
  expect(readBaseImages(file)).toEqual(readBaseImages());
});

const unpinned: BaseImages = { BUILDER: { image: "r/builder", digest: null }, BASE: { image: "r/base", digest: null } };

test("a build with unpinned base images warns and names the command", () => {
  expect(unpinnedWarning(unpinned, {})).toBe(
    "Warning: base-images.json has no digest for r/builder, r/base. The build takes the image that this name has in the registry now. To pin the base images, run: make base-images",
  );
  expect(unpinnedWarning(unpinned, { BASE: "mine/base" })).not.toContain("r/base");
  expect(unpinnedWarning({ ...unpinned, BUILDER: { image: "r/builder", digest } }, {})).not.toContain("r/builder");
});

test("does not warn about pinned images and images from the environment", () => {
  const pinned = { BUILDER: { image: "r/builder", digest }, BASE: { image: "r/base", digest } };
  expect(unpinnedWarning(pinned, {})).toBeUndefined();
  expect(unpinnedWarning(unpinned, { BUILDER: "mine/builder", BASE: "mine/base" })).toBeUndefined();
});

test("make docker-build warns before it builds", () => {
  const folder = dirname(folderWith(""));
  writeFileSync(join(folder, "podman"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const env = { PATH: folder, IMG: "registry.example/virt-operators:1" };
  const built = spawnSync(process.execPath, ["tools/deploy/main.ts", "docker-build"], { env, encoding: "utf8" });
  const [firstLine] = built.stderr.split("\n");
  expect(firstLine).toContain(unpinnedWarning(readBaseImages(), {}) ?? "> podman build");
  expect(built.status).toBe(0);
});

test("the Dockerfile names no image", () => {
  const dockerfile = readFileSync("Dockerfile", "utf8");
  expect(dockerfile).not.toContain("registry.");
  expect([...dockerfile.matchAll(/^ARG (.*)$/gm)].map(([, name]) => name)).toEqual(["BUILDER", "BASE"]);
});
