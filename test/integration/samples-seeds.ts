import { existsSync, readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";

export type Spec = Readonly<Record<string, unknown>> & { readonly profile: string };
export type Example = { readonly at: string; readonly spec: Spec };

const folder = inRepository("..", "shared", "seeds");
const documents = ["advisor-readme", "load-aware-profile", "higher-density-profile", "workflow-guide"];

export const areSeedsThere = existsSync(folder);

export function examples(): readonly Example[] {
  return documents.flatMap((name) => {
    const text = readFileSync(`${folder}/${name}.md`, "utf8");
    return blocks(text).flatMap(({ line, yaml }) => {
      const spec = specOf(yaml);
      return spec ? [{ at: `${name}.md:${line}`, spec }] : [];
    });
  });
}

function blocks(text: string): readonly { readonly line: number; readonly yaml: string }[] {
  return [...text.matchAll(/^```yaml\n(.*?)^```|<<EOF\n(.*?)^EOF/gms)].map((found) => ({
    line: text.slice(0, found.index).split("\n").length + 1,
    yaml: found[1] ?? found[2] ?? "",
  }));
}

function specOf(yaml: string): Spec | undefined {
  const { spec } = load(yaml) as { spec?: Spec };
  return spec?.profile === undefined ? undefined : spec;
}
