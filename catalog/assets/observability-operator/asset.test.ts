// Dashboards, and incidents where somebody wants them.

import { expect, test } from "vitest";
import { hcoWith, rendered } from "../world.ts";
import asset from "./asset.ts";

const golden = (before: string, after = "") => `apiVersion: observability.openshift.io/v1alpha1
kind: UIPlugin
metadata:
  name: monitoring
spec:
  monitoring:
${before}    perses:
      enabled: true
${after}  type: Monitoring
`;
const wanted = hcoWith("v1", { "enable-incident-detection": "true" });
const analyzer = {
  properties: { spec: { properties: { monitoring: { properties: { clusterHealthAnalyzer: {}, incidents: {} } } } } },
};

test.each([
  { reason: "dashboards alone", facts: {}, told: golden("") },
  {
    reason: "a typo switches nothing on",
    facts: { hco: hcoWith("v1", { "enable-incident-detection": "yes" }) },
    told: golden(""),
  },
  {
    reason: "incidents by their new name",
    facts: { hco: wanted, plugins: analyzer },
    told: golden("    clusterHealthAnalyzer:\n      enabled: true\n"),
  },
  {
    reason: "incidents by their old name",
    facts: { hco: wanted },
    told: golden("    incidents:\n      enabled: true\n"),
  },
])("$reason", ({ facts, told }) => {
  expect(rendered(asset, facts)).toBe(told);
});
