import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { profiles } from "@virt/catalog";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mockFiles } from "../../tools/demo/mocks.ts";
import { crdFile } from "./crd-objects.ts";
import { areSeedsThere, examples, type Spec } from "./samples-seeds.ts";

const folder = inRepository("config", "samples");
const files = readdirSync(folder).filter((file) => file !== "kustomization.yaml");
const read = (file: string) => loadAll(readFileSync(`${folder}/${file}`, "utf8")) as readonly Sample[];

type Sample = { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec: Spec };

let server: Server;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile, ...mockFiles()]);
  for (const name of ["openshift-cnv", "openshift-kube-descheduler-operator"]) {
    await server.kubectl("create", "namespace", name);
  }
});

afterAll(() => server.stop());

test.each(files)("kubectl applies and deletes %s without a warning", async (file) => {
  const applied = await server.kubectl("apply", "-f", `${folder}/${file}`);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  expect(await server.kubectl("delete", "-f", `${folder}/${file}`)).toMatchObject({ code: 0 });
});

test("kubectl applies the folder as one preview for each profile", async () => {
  const applied = await server.kubectl("apply", "-k", folder);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await server.kubectl("get", "vpconf", "-o", "json");
  const { items } = JSON.parse(stdout) as { items: readonly Sample[] };
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(profiles.map(({ name }) => name).toSorted());
  expect(items.map(({ spec }) => spec["action"])).toEqual(items.map(() => "DryRun"));
  expect(await server.kubectl("delete", "-k", folder)).toMatchObject({ code: 0 });
});

test("no sample contains a namespace", () => {
  expect(files.filter((file) => read(file).some(({ kind }) => kind === "Namespace"))).toEqual([]);
});

describe("the baseline", () => {
  const baseline = `${folder}/mock_baseline_resources.yaml`;

  test.each(["v510", "v514", "v521", "v532"])("is accepted by the descheduler CRD %s", async (generation) => {
    const mock = `config/crd/mocks/kubedeschedulers-${generation}.yaml`;
    await server.installCrds([mock]);
    expect(await server.kubectl("apply", "-f", baseline)).toMatchObject({ code: 0, stderr: "" });
    expect(await server.kubectl("delete", "-f", baseline)).toMatchObject({ code: 0 });
  });
});

describe.runIf(areSeedsThere)("the seeds", () => {
  const usual = { action: "DryRun", failurePolicy: "Abort", bypassOptimisticLock: false };
  const specs = files.flatMap(read).flatMap(({ kind, spec }) => (kind === "VirtPlatformConfig" ? [spec] : []));

  test.each(areSeedsThere ? examples() : [])("have an example at $at that is also a sample", ({ spec }) => {
    const isSample = specs.some((one) => isDeepStrictEqual({ ...usual, ...one }, { ...usual, ...spec }));
    expect(isSample).toBe(true);
  });
});
