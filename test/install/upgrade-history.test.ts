// @module-tag thorough

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { obtainPreviousRelease } from "../support/install/previous-release.ts";

test("a shallow clone gets the fetch command, and nothing is cached", () => {
  const folder = mkdtempSync(join(tmpdir(), "shallow-clone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  spawnSync("git", ["init", "--quiet", "--bare", join(folder, "git")]);
  const env = { ...process.env, GIT_DIR: join(folder, "git"), XDG_CACHE_HOME: join(folder, "cache") };
  expect(() => obtainPreviousRelease(env)).toThrow(
    /^the history of this repository does not reach.*git fetch --unshallow$/s,
  );
  expect(readdirSync(join(folder, "cache", "virt-operators", "releases"))).toEqual([]);
});
