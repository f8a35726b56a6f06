import { asList, at, type Json, type JsonMap } from "@virt/objects";
import { expect, test } from "vitest";
import { hcoWith } from "../testing/asset-facts.ts";
import { lines, number } from "./panel.ts";
import { dashboardForms, renderDashboard } from "./perses.ts";

const content = {
  title: "T",
  duration: "6h",
  panels: [number("A", "about A", "a"), lines("B", "bytes", "about B", { one: "b1", two: "b2" })],
};
const facts = { hco: hcoWith("v1"), isServed: true };
const dashboard = renderDashboard("d", content, facts) as JsonMap;
const config = at(dashboard, "spec", "config");

test("a dashboard is in the namespace of the HyperConverged, next to its data source", () => {
  expect(dashboard).toMatchObject({
    apiVersion: "perses.dev/v1alpha2",
    metadata: { name: "d", namespace: "openshift-cnv" },
  });
  expect(JSON.stringify(config).match(/"perses-thanos-datasource"/g)).toHaveLength(3);
});

test("every panel has its title, its unit, its queries and one place in the grid", () => {
  const panels = Object.entries(at(config, "panels") as JsonMap);
  const shown = panels.map(([, panel]) => [
    at(panel, "spec", "display", "name"),
    at(panel, "spec", "plugin", "kind"),
    asList(at(panel, "spec", "queries")).map((query) => at(query, "spec", "plugin", "spec", "query")),
  ]);
  expect(shown).toEqual([
    ["A", "StatChart", ["a"]],
    ["B", "TimeSeriesChart", ["b1", "b2"]],
  ]);
  expect(at(panels[1]?.[1], "spec", "plugin", "spec", "yAxis", "format", "unit")).toBe("bytes");
  const places = asList(at(asList(at(config, "layouts"))[0], "spec", "items"));
  expect(places.map((place: Json) => at(place, "content", "$ref"))).toEqual(
    panels.map(([key]) => `#/spec/panels/${key}`),
  );
});

test("renders nothing for a Perses operator without v1alpha2", () => {
  expect(renderDashboard("d", content, { ...facts, isServed: false })).toMatchObject({ isUnmet: true });
});

/** Returns the only value that a form allows. */
function valueOf(form: Json | undefined): Json {
  const members = at(form, "fields") as JsonMap | undefined;
  if (members === undefined) return asList(at(form, "values"))[0] ?? null;
  return Object.fromEntries(Object.entries(members).map(([key, field]) => [key, valueOf(at(field, "value"))]));
}

test("the form allows exactly the rendered content", () => {
  const [form] = dashboardForms(content);
  expect(valueOf(at(form, "spec"))).toEqual({ config });
});
