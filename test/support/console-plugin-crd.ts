// Returns OpenShift's ConsolePlugin CRD if it is available next to the repository, else a minimal one.

import { existsSync } from "node:fs";
import { type Crd, inRepository } from "@virt/testkit";

const genuine = inRepository("..", "shared", "crds", "openshift", "consoleplugins.yaml");

const text = { type: "string", minLength: 1 };
const service = {
  type: "object",
  required: ["name", "namespace", "port"],
  properties: { name: text, namespace: text, port: { type: "integer", format: "int32" }, basePath: text },
};
const spec = {
  type: "object",
  required: ["backend", "displayName"],
  properties: {
    displayName: text,
    backend: {
      type: "object",
      required: ["type"],
      properties: { type: { type: "string", enum: ["Service"] }, service },
    },
    i18n: {
      type: "object",
      required: ["loadType"],
      properties: { loadType: { type: "string", enum: ["Preload", "Lazy", ""] } },
    },
  },
};

export function consolePluginCrd(): string | Crd {
  if (existsSync(genuine)) return genuine;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "consoleplugins.console.openshift.io",
      annotations: { "api-approved.kubernetes.io": "unapproved, for tests" },
    },
    spec: {
      group: "console.openshift.io",
      scope: "Cluster",
      names: {
        kind: "ConsolePlugin",
        plural: "consoleplugins",
        singular: "consoleplugin",
        listKind: "ConsolePluginList",
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec } } },
        },
      ],
    },
  } as unknown as Crd;
}
