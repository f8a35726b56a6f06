import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
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
  { reason: "dashboards only", facts: {}, rendered: golden("") },
  {
    reason: "a typo enables nothing",
    facts: { hco: hcoWith("v1", { "enable-incident-detection": "yes" }) },
    rendered: golden(""),
  },
  {
    reason: "incidents under their new name",
    facts: { hco: wanted, plugins: analyzer },
    rendered: golden("    clusterHealthAnalyzer:\n      enabled: true\n"),
  },
  {
    reason: "incidents under their old name",
    facts: { hco: wanted },
    rendered: golden("    incidents:\n      enabled: true\n"),
  },
])("$reason", ({ facts, rendered }) => {
  expect(renderedAsset(asset, facts)).toBe(rendered);
});
