import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { pages } from "./pages.ts";

test("no page tells users to run a command of the operator's own program, which they do not have", () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`virt-operator (?:render|explain|exclusions|features)[^`]*`/g)].map(
      ([command]) => `${path}: ${command}`,
    ),
  );
  expect(named).toEqual([]);
});

type Crd = {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: { properties: object } } } };
    }[];
  };
};

test("the page of concepts explains every field of the spec", () => {
  const crd = load(
    readFileSync(inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml"), "utf8"),
  ) as Crd;
  const fields = Object.keys(crd.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties ?? {});
  const concepts = readFileSync(inRepository("docs", "concepts.md"), "utf8");
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((field) => !concepts.includes(`\n| \`${field}\` |`))).toEqual([]);
});
