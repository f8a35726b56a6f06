// Generates dist/chart: the kustomize objects as a Helm chart, with the values and texts of config/chart.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryUrl } from "@virt/api";
import { type KubeObject, writeYaml } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import type { PackageFiles } from "../files.ts";
import { anyImage, identity, type Manifests, type Product } from "../manifests.ts";
import { withValues } from "./deployment.ts";
import { type Area, areaOf, condition } from "./switches.ts";

export function chartFiles({ manifests, version, image }: Product): PackageFiles {
  return { folders: ["dist/chart"], texts: { ...sources({ version, image }), ...templates(manifests) } };
}

function sources({ version, image }: Pick<Product, "version" | "image">): Readonly<Record<string, string>> {
  const folder = inRepository("config", "chart");
  const files = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, "utf8")
        .replaceAll("@VERSION@", version)
        .replaceAll("@REPOSITORY@", repositoryUrl)
        .replaceAll("@IMAGE@", image === anyImage ? "" : image);
      return [`dist/chart${file.slice(folder.length)}`, text];
    }),
  );
}

function templates(manifests: Manifests): Readonly<Record<string, string>> {
  const usual = new Set(manifests.both.map(identity));
  const ofExample = manifests.exampleProfile.filter((object) => !usual.has(identity(object)));
  const parts = [
    ...manifests.both.map((object) => template(object, areaOf(object, manifests), false)),
    ...ofExample.map((object) => template(object, "example-profile", false)),
    ...manifests.console.map((object) => template(object, "console", false)),
    ...manifests.monitoring.map((object) => template(object, ownerOf(object), true)),
  ];
  const texts: Record<string, string> = {};
  for (const { file, text } of parts) texts[file] = `${texts[file] ?? ""}${text}`;
  return texts;
}

type Template = { readonly file: string; readonly text: string };

function template(object: KubeObject, area: Area, isMonitoring: boolean): Template {
  const folder = `dist/chart/templates/${area}`;
  const file = isMonitoring ? `${folder}/monitoring.yaml` : `${folder}/${kebab(object.kind)}.yaml`;
  const body = bodyOf(object, area);
  return { file, text: `{{- if ${condition(object, area, isMonitoring)} }}\n---\n${body}{{- end }}\n` };
}

function bodyOf(object: KubeObject, area: Area): string {
  // Escapes the templates of alerts, which Helm must not expand.
  const text = writeYaml(object)
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll("app.kubernetes.io/managed-by: kustomize", "app.kubernetes.io/managed-by: {{ .Release.Service }}");
  if (object.kind === "Deployment") return withValues(text, area);
  return object.kind === "CustomResourceDefinition" ? kept(text) : text;
}

// Keeps the CRD by default, because its deletion removes every VirtPlatformConfig.
function kept(text: string): string {
  const annotations = "{{- if .Values.crds.keep }}\n  annotations:\n    helm.sh/resource-policy: keep\n{{- end }}\n";
  return text.replace(/^metadata:\n/m, (line) => `${line}${annotations}`);
}

function ownerOf({ metadata }: KubeObject): Area {
  return metadata.name.includes("advisor") ? "advisor" : "platform";
}

function kebab(kind: string): string {
  return kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
