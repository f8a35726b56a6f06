// Evaluates kubectl's JSONPath templates. Existing libraries lack plain text, {range}…{end} and {"text"}.

import { asList, isMap, type Json } from "@virt/objects";
import { CliError } from "./verb.ts";

type Step = { readonly kind: "field"; readonly name: string } | { readonly kind: "index"; readonly at: number } | All;
type All = { readonly kind: "all" };
type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path"; readonly steps: readonly Step[] }
  | { readonly kind: "range"; readonly steps: readonly Step[]; readonly body: readonly TemplateNode[] };

/** Separates multiple values with spaces, as kubectl does. A missing field yields an empty string. */
export function fillJsonPath(template: string, document: Json): string {
  return write(readTemplate(template), document);
}

function write(nodes: readonly TemplateNode[], current: Json): string {
  const parts = nodes.map((node) => {
    if (node.kind === "text") return node.text;
    const found = follow(node.steps, current);
    return node.kind === "path"
      ? found.map(valueText).join(" ")
      : found.map((value) => write(node.body, value)).join("");
  });
  return parts.join("");
}

function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function follow(steps: readonly Step[], from: Json): readonly Json[] {
  return steps.reduce<readonly Json[]>((values, step) => values.flatMap((value) => take(step, value)), [from]);
}

function take(step: Step, value: Json): readonly Json[] {
  if (step.kind === "all")
    return (isMap(value) ? Object.values(value) : asList(value)).flatMap((one) => (one === undefined ? [] : [one]));
  const found =
    step.kind === "index"
      ? asList(value).at(step.at)
      : isMap(value) && Object.hasOwn(value, step.name)
        ? value[step.name]
        : undefined;
  return found === undefined ? [] : [found];
}

/** Throws a CliError that names the malformed part. */
function readTemplate(template: string): readonly TemplateNode[] {
  const parts = [...template.matchAll(/\{((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^{}"'])*)\}|[^{}]+|[{}]/gu)];
  const open: { readonly steps: readonly Step[]; readonly nodes: TemplateNode[] }[] = [{ steps: [], nodes: [] }];
  for (const [part, inner] of parts) {
    const nodes = open.at(-1)?.nodes;
    const word = inner?.trim();
    if (part === "{" || part === "}") throw malformed(template, "unbalanced brace");
    if (word === "end") {
      const closed = open.length > 1 ? open.pop() : undefined;
      if (closed === undefined) throw malformed(template, "{end} without {range}");
      open.at(-1)?.nodes.push({ kind: "range", steps: closed.steps, body: closed.nodes });
    } else if (word === undefined) nodes?.push({ kind: "text", text: part });
    else if (word.startsWith('"')) nodes?.push({ kind: "text", text: readText(template, word) });
    else if (word.startsWith("range ")) open.push({ steps: readSteps(template, word.slice(6)), nodes: [] });
    else nodes?.push({ kind: "path", steps: readSteps(template, word) });
  }
  const [whole, unclosed] = open;
  if (unclosed !== undefined) throw malformed(template, "{range} without {end}");
  return whole?.nodes ?? [];
}

function readText(template: string, word: string): string {
  try {
    return JSON.parse(word) as string;
  } catch {
    throw malformed(template, `${word} is not a valid string`);
  }
}

const step = /\.\*|\[\*\]|\[(-?\d+)\]|\['([^']+)'\]|\.((?:[^.[\]\\]|\\.)+)/uy;

function readSteps(template: string, word: string): readonly Step[] {
  const path = word.trim().replace(/^[$@]/u, "");
  const steps: Step[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const from = step.lastIndex;
    const [found, index, quoted, plain] = step.exec(path) ?? [];
    if (found === undefined) throw malformed(template, `"${path.slice(from)}" is not a valid path`);
    const name = quoted ?? plain?.replaceAll(/\\(.)/gu, "$1");
    if (index !== undefined) steps.push({ kind: "index", at: Number(index) });
    else steps.push(name === undefined ? { kind: "all" } : { kind: "field", name });
  }
  return steps;
}

function malformed(template: string, why: string): CliError {
  return new CliError(
    `-o jsonpath=${template}: ${why}. Example: -o jsonpath='{.items[*].name}'. Filters are not supported: use -o json with jq`,
  );
}
