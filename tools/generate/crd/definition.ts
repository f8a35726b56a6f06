import { configKind } from "@virt/api";
import { writeYaml } from "@virt/objects";
import { type Described, optionSchemas, withLimits } from "./options.ts";
import { rules, type Schema, text } from "./schema.ts";
import { specSchema } from "./spec.ts";
import { statusSchema } from "./status.ts";

const { group, version, kind, plural } = configKind;

const singleton = {
  rule: "self.metadata.name == self.spec.profile",
  message: "To ensure a singleton pattern, the VirtPlatformConfig name must exactly match the spec.profile.",
};

const readyPath = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;

const columns = [
  { name: "Action", type: "string", jsonPath: ".spec.action" },
  { name: "Impact", type: "string", jsonPath: ".status.impactSeverity" },
  { name: "Phase", type: "string", jsonPath: ".status.phase" },
  { name: "Ready", type: "string", jsonPath: readyPath("status") },
  { name: "Progress", type: "string", jsonPath: ".status.progress" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Plan", type: "string", jsonPath: ".status.planHash", priority: 1 },
  { name: "Nodes", type: "integer", jsonPath: ".status.impact.nodes", priority: 1 },
  { name: "Blocked", type: "integer", jsonPath: ".status.impact.vms.block", priority: 1 },
  { name: "Takes", type: "string", jsonPath: ".status.impact.duration.text", priority: 1 },
  { name: "Version", type: "string", jsonPath: ".status.operatorVersion", priority: 1 },
  { name: "Message", type: "string", jsonPath: readyPath("message"), priority: 1 },
];

export async function configDefinition(profiles: readonly Described[]): Promise<string> {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: ["vpconf"],
        categories: ["kubevirt"],
      },
      scope: "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          subresources: { status: {} },
          schema: { openAPIV3Schema: await schemaOf(profiles) },
        },
      ],
    },
  };
  return `# Generated from packages/api and catalog/profiles (make generate). Change those files instead.\n${writeYaml(definition)}`;
}

async function schemaOf(profiles: readonly Described[]): Promise<Schema> {
  const options = await optionSchemas(profiles);
  return {
    type: "object",
    description:
      "A profile of the cluster configuration. The advisor drafts a plan, shows it for review, and applies it after approval.",
    properties: {
      apiVersion: text("Group and version of the API."),
      kind: text("Kind of the object."),
      metadata: { type: "object" },
      spec: withLimits(specSchema(profiles, options)),
      status: statusSchema(options),
    },
    required: ["spec"],
    ...rules(singleton),
  };
}
