import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";

const inPlugin = (name: string) => inRepository("dist", "plugin", name);
const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as { version: string };
const archive = `kubectl-virt_advisor-v${version}.tar.gz`;

function pack(): string {
  execFileSync(process.execPath, [inRepository("tools", "package", "plugin.ts")], { cwd: inRepository() });
  return createHash("sha256")
    .update(readFileSync(inPlugin(archive)))
    .digest("hex");
}

type KrewManifest = {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly shortDescription: string;
    readonly platforms: readonly { readonly sha256: string; readonly bin: string; readonly uri: string }[];
  };
};

test("packs a reproducible archive with licences, and a krew manifest with its digest", () => {
  const digest = pack();
  expect(pack()).toBe(digest);
  const { metadata, spec } = load(readFileSync(inPlugin("virt-advisor.yaml"), "utf8")) as KrewManifest;
  expect(metadata.name).toBe("virt-advisor");
  expect(spec.shortDescription.length).toBeLessThanOrEqual(50);
  expect(spec.platforms).toMatchObject([{ sha256: digest, bin: "kubectl-virt_advisor" }]);
  expect(spec.platforms[0]?.uri.endsWith(archive)).toBe(true);
  const names = execFileSync("tar", ["tzf", inPlugin(archive)], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(names).toEqual([
    "LICENSE",
    "THIRD_PARTY_NOTICES",
    "_kubectl-virt_advisor",
    "kubectl-virt_advisor",
    "kubectl-virt_advisor.1",
    "kubectl-virt_advisor.bash",
    "kubectl-virt_advisor.fish",
  ]);
  expect(readFileSync(inPlugin("THIRD_PARTY_NOTICES"), "utf8")).toContain("@patternfly/react-core");
});

test("bash completes verbs and flags", () => {
  const script = inPlugin("kubectl-virt_advisor.bash");
  expect(spawnSync("bash", ["-n", script]).status).toBe(0);
  const complete = (...words: readonly string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kubectl_virt_advisor; echo "\${COMPREPLY[@]}"`,
        script,
        "kubectl-virt_advisor",
        ...words,
      ],
      { encoding: "utf8" },
    ).trim();
  expect(complete("ex")).toBe("explain");
  expect(complete("doctor", "--po")).toBe("--pool");
});
