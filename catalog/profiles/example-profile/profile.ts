// Writes one ConfigMap: a minimal profile to try the workflow.

import { defineProfile, namespace } from "@virt/advisor";
import { contentForms } from "@virt/api";

const cnvNamespace = "openshift-cnv";
const kind = "ConfigMap";
const name = "example-config";

const data = { "example-key": "example-value" };

export default defineProfile({
  name: "example-profile",
  category: "example",
  description: "Demonstrates the workflow with a single ConfigMap",
  impactSummary: "Low - Writes one ConfigMap that nothing reads",
  documentation: "EXAMPLE_PROFILE",
  impact: "Low",
  isAdvertised: false,
  isExample: true,
  purposes: [],
  targets: [
    {
      group: "",
      kind,
      plural: "configmaps",
      names: [name],
      namespaces: [cnvNamespace, "$operator"],
      forms: [{ apiVersion: "v1", data: contentForms.fields(contentForms.constantFields(data, "required")) }],
    },
  ],
  reads: { cnv: namespace(cnvNamespace) },
  needs: () => [],
  refuse: () => undefined,
  inputs: () => [],
  plan: (_given, { cnv, ownNamespace }) => {
    const target = { apiVersion: "v1", kind, name, namespace: cnv === true ? cnvNamespace : ownNamespace };
    const metadata = { name, namespace: target.namespace };
    return [
      {
        name: "configure-example-component",
        message: "Waiting to apply configuration",
        operation: "Apply",
        target,
        desired: { apiVersion: "v1", kind, metadata, data },
        managedFields: ["data"],
        warnings: [],
        impact: { create: "Low", change: "Low" },
      },
    ];
  },
});
