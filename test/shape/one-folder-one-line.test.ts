// A profile and an asset are one folder and one line each: follows the developer guides in a copy of the repository.
// @module-tag thorough

import { readFileSync } from "node:fs";
import { configKind } from "@virt/api";
import { startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandOutput, copyRepository, type RepositoryCopy } from "../../tools/testing/repository-copy.ts";
import { blocksIn } from "../e2e/blocks.ts";
import { touchedWorkspaces } from "./touched-workspaces.ts";

const profile = {
  name: "update-pace",
  folder: "catalog/profiles/update-pace",
  list: "catalog/profiles/index.ts",
};
const asset = { name: "nmstate-operator", folder: "catalog/assets/nmstate-operator", list: "catalog/assets/index.ts" };
const crdFile = "config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml";

/** A hang guard: it takes a minute on an idle machine. */
const patienceMs = 900_000;

let copy: RepositoryCopy;
let stale: CommandOutput;
let generated: CommandOutput;

beforeAll(() => {
  copy = copyRepository();
  follow("docs/profile-development-guide.md", profile, ["profile.ts", "options.ts"]);
  follow("docs/asset-development-guide.md", asset, ["asset.ts"]);
  stale = copy.run("make", "check-generated");
  generated = copy.run("make", "format", "generate", "packages", "build");
}, patienceMs);
afterAll(() => copy[Symbol.dispose]());

type CatalogEntry = { readonly folder: string; readonly list: string };

/** A guide's code blocks are the folder's files in this order, followed by the line. */
function follow(guide: string, { folder, list }: CatalogEntry, files: readonly string[]): void {
  const blocks = blocksIn(readFileSync(copy.path(guide), "utf8")).filter(({ language }) => language === "ts");
  expect(blocks.map(({ headline }) => headline)).toEqual([...files.map(() => "1. The folder"), "2. The line"]);
  const texts = blocks.map(({ text }) => text);
  const line = texts.at(-1) ?? "";
  expect(line.trimEnd().split("\n")).toHaveLength(1);
  copy.write({
    ...Object.fromEntries(files.map((file, at) => [`${folder}/${file}`, texts[at] ?? ""])),
    [list]: `${textOf(list)}${line}`,
  });
}

const textOf = (file: string): string => readFileSync(copy.path(file), "utf8");

test("check-generated reports the files to generate from the new folders", () => {
  expect(stale.status).not.toBe(0);
  for (const file of ["config/rbac/platform/role.yaml", "config/samples/update-pace_sample.yaml", crdFile])
    expect(stale.output).toContain(`${file} is not current`);
});

test("make generates all files from the new folders", () => {
  expect(generated).toMatchObject({ status: 0 });
});

test(
  "make check passes",
  () => {
    expect(copy.run("make", "check")).toMatchObject({ status: 0 });
  },
  patienceMs,
);

// Tests of all other workspaces are unchanged and run in the same test run.
test(
  "the unit tests of every changed workspace and of the tools pass",
  () => {
    const touched = touchedWorkspaces(copy);
    expect(touched).toEqual(expect.arrayContaining(["apps/operator", "catalog"]));
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project=unit"];
    expect(copy.run("node_modules/.bin/node", ...vitest, ...touched, "tools")).toMatchObject({ status: 0 });
  },
  patienceMs,
);

const followers = [
  { what: "the sample", file: "config/samples/update-pace_sample.yaml", text: "profile: update-pace" },
  { what: "the list of samples", file: "config/samples/kustomization.yaml", text: "- update-pace_sample.yaml" },
  { what: "the CRD's enum", file: crdFile, text: "- update-pace" },
  {
    what: "the CRD rule for options",
    file: crdFile,
    text: "options.updatePace can only be used with profile",
  },
  {
    what: "the profiles page",
    file: "docs/profiles.md",
    text: "| `update-pace` | Limits the VMs that are evicted",
  },
  { what: "the owner of the profile", file: ".github/CODEOWNERS", text: "/catalog/profiles/update-pace/ " },
  { what: "the owner of the asset", file: ".github/CODEOWNERS", text: "/catalog/assets/nmstate-operator/ " },
  {
    what: "the permission for the object",
    file: "config/rbac/platform/role.yaml",
    text: "resourceNames:\n  - nmstate\n  resources:\n  - nmstates\n",
  },
  {
    what: "the admission rule for the operator's writes",
    file: "config/admission/platform/writes.yaml",
    text: "CREATE nmstates.nmstate.io nmstate",
  },
  {
    what: "the admission rule for the feature annotation",
    file: "config/admission/platform/switches.yaml",
    text: "platform.kubevirt.io/enable-nmstate",
  },
  { what: "the admission rule for overrides", file: "config/admission/platform/overrides.yaml", text: "nmstates" },
  { what: "the assets page", file: "docs/assets.md", text: "| `nmstate-operator` |" },
  { what: "the feature table", file: "docs/assets.md", text: "| nmstate | Networks of nodes as objects | DP | off |" },
  { what: "the stub of the CRD", file: "config/crd/mocks/nmstates.yaml", text: "name: nmstates.nmstate.io" },
  { what: "the installer", file: "dist/install.yaml", text: "nmstates" },
  {
    what: "the OLM bundle",
    file: "bundle/manifests/virt-operators.clusterserviceversion.yaml",
    text: "nmstates",
  },
];

test.each(followers)("$what mentions the new profile or asset", ({ file, text }) => {
  expect(textOf(file)).toContain(text);
});

test("the shipped program renders and explains the asset", () => {
  const hco = {
    apiVersion: "hco.kubevirt.io/v1",
    kind: "HyperConverged",
    metadata: {
      name: "kubevirt-hyperconverged",
      namespace: "openshift-cnv",
      annotations: { "platform.kubevirt.io/enable-nmstate": "true" },
    },
  };
  copy.write({ "dist/hco.json": JSON.stringify(hco) });
  const ask = (...args: readonly string[]) =>
    copy.run("node_modules/.bin/node", "dist/virt-operator.mjs", ...args, "--hco-file=dist/hco.json");
  expect(ask("render", `--asset=${asset.name}`).output).toContain("kind: NMState\n");
  expect(ask("explain", asset.name).output).toContain("INCLUDED");
});

test("the API server accepts a config of the profile, and enforces its option limits", async () => {
  const server = await startServer();
  try {
    await server.installCrds([copy.path(crdFile)]);
    const { apiVersion, kind, group, version, plural } = configKind;
    const create = (batchSize: number) => {
      const spec = { profile: profile.name, options: { updatePace: { batchSize } } };
      const body = { apiVersion, kind, metadata: { name: profile.name }, spec };
      return server.request({ method: "POST", path: `/apis/${group}/${version}/${plural}`, body });
    };
    expect(await create(101)).toMatchObject({ status: 422 });
    expect(await create(7)).toMatchObject({ status: 201, body: { spec: { action: "DryRun" } } });
  } finally {
    await server.stop();
  }
});
