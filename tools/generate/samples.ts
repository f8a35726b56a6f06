// Generates a preview sample in config/samples for each profile that has no hand-written one. A profile that requires
// options has a hand-written one with options.

import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Profile } from "@virt/advisor";
import { configKind } from "@virt/api";
import { type KubeObject, member, writeYaml } from "@virt/objects";
import { load } from "js-yaml";
import { generatedMark, isGenerated } from "./generated-mark.ts";

const folder = "config/samples";

export function samples(profiles: readonly Pick<Profile, "name">[]): Readonly<Record<string, string>> {
  const written = globSync(`${folder}/*_sample.yaml`)
    .map((file) => ({ file, text: readFileSync(file, "utf8") }))
    .filter(({ text }) => !isGenerated(text))
    .map(({ file, text }) => ({ file, object: load(text) as KubeObject }));
  const previews = profiles.map(({ name }) => {
    const preview = previewOf(name);
    const own =
      written.find(({ object }) => isDeepStrictEqual(object, preview)) ??
      written.find(({ object }) => isPreviewOf(name, object));
    return own ?? { file: `${folder}/${name}_sample.yaml`, text: textOf(name, preview) };
  });
  return {
    [`${folder}/kustomization.yaml`]: kustomization(previews.map(({ file }) => basename(file))),
    ...Object.fromEntries(previews.flatMap((one) => ("text" in one ? [[one.file, one.text]] : []))),
  };
}

function isPreviewOf(name: string, { spec }: KubeObject): boolean {
  return member(spec ?? null, "profile") === name && member(spec ?? null, "action") === "DryRun";
}

function previewOf(name: string): KubeObject {
  const { apiVersion, kind } = configKind;
  return { apiVersion, kind, metadata: { name }, spec: { profile: name, action: "DryRun" } };
}

function textOf(name: string, preview: KubeObject): string {
  return `# ${generatedMark}: shows what ${name} would change. Nothing is applied until action is Apply.\n${writeYaml(preview)}`;
}

function kustomization(files: readonly string[]): string {
  const list = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources: files };
  return `# ${generatedMark}: one preview for each profile, for kubectl apply -k config/samples/\n${writeYaml(list)}`;
}
