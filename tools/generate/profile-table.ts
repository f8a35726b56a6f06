// Generates docs/profiles.md: the advisor's profiles and their options.

import type { Profile } from "@virt/advisor";
import { entriesOf, isMap, type Json, member } from "@virt/objects";
import { type OptionSchemas, optionSchemas } from "./crd/options.ts";
import type { Schema } from "./crd/schema.ts";

export async function profileTable(profiles: readonly Profile[]): Promise<string> {
  const schemas = await optionSchemas(profiles);
  return [
    "# Profiles of the advisor",
    "",
    "This page lists the profiles with the objects that they write, their prerequisites, and their options with the default values.",
    "It is generated from `catalog/profiles` (`make generate`).",
    "",
    "A VirtPlatformConfig has the name of its profile. Set the options under `spec.options.<key>`.",
    "`kubectl explain virtplatformconfig.spec.options` shows the same descriptions.",
    "",
    "| profile | description | highest severity | advertised | writes | requires |",
    "|---|---|---|---|---|---|",
    ...profiles.map(row),
    ...profiles.flatMap((profile) => optionsOf(profile, schemas)),
    "",
  ].join("\n");
}

function row({ name, description, impact, isAdvertised, isExample = false, targets, needs }: Profile): string {
  const written = targets.flatMap(({ kind, names }) => names.map((one) => `${kind} \`${one}\``)).join(", ");
  const needed = needs(undefined).map(({ kind, group }) => `${kind} (${group})`);
  const offered = isExample ? "no, requires `--example-profile`" : isAdvertised ? "yes" : "no";
  return `| \`${name}\` | ${description} | ${impact} | ${offered} | ${written} | ${needed.join(", ") || "none"} |`;
}

function optionsOf({ name, optionsKey }: Profile, schemas: OptionSchemas): readonly string[] {
  const schema = optionsKey === undefined ? undefined : schemas[optionsKey];
  if (schema === undefined) return ["", `## ${name}`, "", "This profile has no options."];
  const head = [
    "",
    `## ${name}`,
    "",
    `Set these options under \`spec.options.${optionsKey}\`:`,
    "",
    "| option | value | default | description |",
    "|---|---|---|---|",
  ];
  return [...head, ...lines(schema, "")];
}

function lines(schema: Schema, prefix: string): readonly string[] {
  const properties = schema["properties"];
  if (!isMap(properties)) return [];
  return entriesOf(properties).flatMap(([name, option]) => {
    const path = `${prefix}${name}`;
    const help = member(option, "description");
    const line = `| \`${path}\` | ${valuesOf(option)} | ${shown(member(option, "default"))} | ${typeof help === "string" ? help : ""} |`;
    const isSelector =
      isMap(option) && isMap(option["properties"]) && option["properties"]["matchLabels"] !== undefined;
    return isSelector || !isMap(option) ? [line] : [line, ...lines(option, `${path}.`)];
  });
}

function valuesOf(option: Json): string {
  const [type, allowed, least, most] = ["type", "enum", "minimum", "maximum"].map((keyword) => member(option, keyword));
  if (Array.isArray(allowed))
    return allowed.map((value: Json) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``).join(", ");
  if (least !== undefined && most !== undefined) return `${JSON.stringify(least)} to ${JSON.stringify(most)}`;
  return typeof type === "string" ? type : "";
}

function shown(value: Json | undefined): string {
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}
