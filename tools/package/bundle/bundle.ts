// Generates bundle/: the product for OLM in the registry+v1 format. Both controllers run in one namespace that OLM
// chooses.

import { readFileSync } from "node:fs";
import { type KubeObject, writeYaml } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import type { PackageFiles } from "../files.ts";
import { identity, type Product } from "../manifests.ts";
import { clusterServiceVersion, namespace, packageName } from "./csv.ts";
import { dockerfile, metadata, optionalManifests } from "./metadata.ts";
import { rightsOf } from "./rights.ts";

const inCsv = ["Deployment", "Namespace"];
const admission = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

export function bundleFiles({ manifests, version, image }: Product): PackageFiles {
  const objects = [...manifests.both, ...manifests.monitoring, ...manifests.console].map(inOneNamespace);
  const rights = rightsOf(objects);
  const folded = new Set(rights.folded.map(identity));
  const beside = objects.filter(
    (object) => ![...inCsv, ...admission].includes(object.kind) && !folded.has(identity(object)),
  );
  const csv = clusterServiceVersion({ version, image, objects, rights, samples: manifests.samples });
  return {
    folders: ["bundle"],
    texts: {
      [`bundle/manifests/${packageName}.clusterserviceversion.yaml`]: writeYaml(csv),
      ...Object.fromEntries(
        beside.map((object) => [`bundle/manifests/${fileName(object)}`, writeYaml(placeless(object))]),
      ),
      "bundle/admission.yaml": policies(objects.filter(({ kind }) => admission.includes(kind))),
      "bundle/metadata/annotations.yaml": writeYaml(metadata),
      "bundle/metadata/properties.yaml": writeYaml(optionalManifests(manifests.console)),
      "bundle/tests/scorecard/config.yaml": readFileSync(inRepository("config/scorecard/config.yaml"), "utf8"),
      "bundle.Dockerfile": dockerfile,
    },
  };
}

// Replaces the namespaces also in the names of Services and accounts.
function inOneNamespace(object: KubeObject): KubeObject {
  const text = JSON.stringify(object)
    .replaceAll(/virt-(advisor|platform)-operator-system/g, namespace)
    .replaceAll('"app.kubernetes.io/managed-by":"kustomize"', '"app.kubernetes.io/managed-by":"olm"');
  return JSON.parse(text) as KubeObject;
}

// OLM installs objects into the operator's namespace.
function placeless(object: KubeObject): KubeObject {
  const { namespace: _namespace, ...rest } = object.metadata;
  return { ...object, metadata: rest };
}

function fileName({ kind, metadata: { name } }: KubeObject): string {
  return `${name}_${kind.toLowerCase()}.yaml`;
}

function policies(objects: readonly KubeObject[]): string {
  const words = [
    "# OLM does not install admission policies: apply them after the operator, and after each upgrade.",
    `#   kubectl apply --server-side -f admission.yaml`,
    "# They name the operator's ServiceAccounts. If the operator is not in its suggested namespace:",
    `#   sed 's/${namespace}/<namespace>/g' admission.yaml | kubectl apply --server-side -f -`,
    "",
  ].join("\n");
  return `${words}${objects.map((object) => writeYaml(object)).join("---\n")}`;
}
