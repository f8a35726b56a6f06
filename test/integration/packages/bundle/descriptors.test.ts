import { asList, asText, at, type JsonMap } from "@virt/objects";
import { expect, test } from "vitest";
import { beside, csv } from "./read-bundle.ts";

const [owned] = asList(at(csv, "spec", "customresourcedefinitions", "owned"));
const definition = beside.find(({ kind }) => kind === "CustomResourceDefinition") as JsonMap;
const schema = at(asList(at(definition, "spec", "versions"))[0], "schema", "openAPIV3Schema", "properties");
const schemaAt = (part: string, path: string) =>
  at(schema, part, ...path.split(".").flatMap((name) => ["properties", name]));

test.each(["spec", "status"])("each %s descriptor matches a field and its description", (part) => {
  const descriptors = asList(at(owned, `${part}Descriptors`));
  expect(descriptors.length).toBeGreaterThan(5);
  const wrong = descriptors.filter((one) => {
    const field = schemaAt(part, asText(at(one, "path")) ?? "");
    return (
      field === undefined || at(field, "description") !== at(one, "description") || !asText(at(one, "displayName"))
    );
  });
  expect(wrong).toEqual([]);
});

test.each(["spec", "status"])("each field of %s has a descriptor", (part) => {
  const paths = asList(at(owned, `${part}Descriptors`)).map((one) => at(one, "path"));
  expect(Object.keys(at(schema, part, "properties") ?? {}).filter((name) => !paths.includes(name))).toEqual([]);
});

test("descriptors have readable names and matching form controls", () => {
  const descriptor = (path: string) => asList(at(owned, "specDescriptors")).find((one) => at(one, "path") === path);
  const form = "urn:alm:descriptor:com.tectonic.ui";
  expect(descriptor("options.loadAware.enablePSIMetrics")).toMatchObject({
    displayName: "Enable PSI Metrics",
    "x-descriptors": [`${form}:booleanSwitch`],
  });
  expect(descriptor("failurePolicy")).toMatchObject({
    "x-descriptors": [`${form}:select:Abort`, `${form}:select:Continue`],
  });
  expect(descriptor("options.loadAware.evictionLimitTotal")).toMatchObject({ "x-descriptors": [`${form}:number`] });
});
