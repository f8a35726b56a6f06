import { existsSync, readFileSync } from "node:fs";
import { profiles } from "@virt/catalog";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { configDefinition } from "../../tools/generate/crd/definition.ts";
import { crdFile } from "./crd-objects.ts";

type Properties = Readonly<Record<string, { readonly properties: Properties; readonly enum: readonly string[] }>>;
type Rules = readonly { readonly message: string }[];

function specOf(text: string) {
  const crd = load(text) as { spec: { versions: readonly [{ schema: { openAPIV3Schema: unknown } }] } };
  const { properties } = crd.spec.versions[0].schema.openAPIV3Schema as { properties: Properties };
  const spec = properties["spec"] as Properties[string] & { readonly "x-kubernetes-validations": Rules };
  const messages = spec["x-kubernetes-validations"].map(({ message }) => message);
  return {
    spec,
    names: spec.properties["profile"]?.enum,
    options: spec.properties["options"]?.properties ?? {},
    messages,
  };
}

const names = profiles.map(({ name }) => name);
const shipped = () => specOf(readFileSync(inRepository(crdFile), "utf8"));

test("exactly the profiles with options in the spec describe options", () => {
  const described = names.filter((name) => existsSync(inRepository("catalog", "profiles", name, "options.ts")));
  const keyed = profiles.filter(({ optionsKey }) => optionsKey !== undefined).map(({ name }) => name);
  expect(described).toEqual(keyed);
});

test("the CRD lists the profiles of the index in order, with their options", () => {
  expect(shipped().names).toEqual(names);
  expect(Object.keys(shipped().options)).toEqual(profiles.flatMap(({ optionsKey }) => optionsKey ?? []).toSorted());
});

test("field descriptions state every default and range", () => {
  type Node = Readonly<Record<string, unknown>>;
  const found: string[] = [];
  const visit = (node: Node, place: string): void => {
    const { default: usual, minimum, maximum, description = "" } = node;
    const said = String(description);
    if (usual !== undefined)
      found.push(
        said.includes(`Default: ${typeof usual === "string" ? usual : JSON.stringify(usual)}.`)
          ? "ok"
          : `${place}: ${said}`,
      );
    if (typeof minimum === "number" && typeof maximum === "number")
      found.push(said.includes(`From ${minimum} to ${maximum}.`) ? "ok" : `${place}: ${said}`);
    for (const [name, inner] of Object.entries((node["properties"] ?? {}) as Record<string, Node>))
      visit(inner, `${place}.${name}`);
  };
  visit(shipped().spec, "spec");
  expect(found.length).toBeGreaterThan(10);
  expect(new Set(found)).toEqual(new Set(["ok"]));
});

test("a new profile in the list extends names, options and rules", async () => {
  const further = { name: "virt-higher-density", optionsKey: "another", description: "Another one" };
  const { names: known, options, messages } = specOf(await configDefinition([...profiles, further]));
  expect(known).toEqual([...names, further.name]);
  expect(Object.keys(options)).toContain("another");
  expect(messages).toHaveLength(shipped().messages.length + 2);
  expect(messages).toContain("options.another can only be used with profile 'virt-higher-density'");
});
