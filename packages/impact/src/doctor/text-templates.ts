// Fills in the catalogue's templates. A command never contains untrusted text, and object names only if they are valid.

import { foreignText } from "../assessed.ts";

/** The values for `<name>` placeholders. A number also selects singular or plural in `{name:one|several}`. */
export type TemplateValues = Readonly<Record<string, string | number>>;

const mostName = 253;

/**
 * The placeholders for object names and our own commands. All other values may contain untrusted text, which is already
 * truncated.
 */
const nameValues = new Set(["p", "n", "v", "ns", "pod", "b", "k", "mc", "nodes", "restore"]);
const mostNames = 3 * mostName;

/** Fills in a message. Omits a part in brackets if one of its values is missing. Does not replace placeholders inside values. */
export function fillMessage(template: string, values: TemplateValues): string {
  const whole = template.replaceAll(/\[([^\]]*)\]/g, (_, part) => {
    const needed = [...String(part).matchAll(/<([a-zA-Z]+)>/g)].map(([, name = ""]) => name);
    return needed.every((name) => values[name] !== undefined) ? String(part) : "";
  });
  return whole.replaceAll(/<([a-zA-Z]+)>|\{([a-zA-Z]+):([^|}]*)\|([^}]*)\}/g, (_, name, counted, one, several) => {
    if (counted !== undefined) return Number(values[String(counted)]) === 1 ? String(one) : String(several);
    const value = String(values[String(name)] ?? "");
    return nameValues.has(String(name)) ? foreignText(value, mostNames) : foreignText(value);
  });
}

/** Returns the template as the documentation shows it, with placeholders and in the plural. */
export function showTemplate(template: string): string {
  return template.replaceAll(/\{[a-zA-Z]+:[^|}]*\|([^}]*)\}/g, "$1");
}

/**
 * Fills in a command. Returns undefined if a value is not a valid DNS name, so that users never paste untrusted text
 * into a shell.
 */
export function fillCommand(template: string, names: Readonly<Record<string, string>>): string | undefined {
  const wanted = [...template.matchAll(/<([a-zA-Z]+)>/g)].map(([, name = ""]) => names[name]);
  if (!wanted.every((name) => name !== undefined && isDnsName(name))) return undefined;
  return template.replaceAll(/<([a-zA-Z]+)>/g, (_, name) => names[String(name)] ?? "");
}

export function isDnsName(text: string): boolean {
  return (
    text.length <= mostName && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text)
  );
}

export type FindingObject = { readonly kind: string; readonly namespace?: string; readonly name: string };

export function describeCommand({ kind, namespace, name }: FindingObject): string | undefined {
  // Uses the plural, because `kubevirt` is also the category of our CRD, and oc would resolve it to the category.
  const resource = kind === "KubeVirt" ? "kubevirts" : kind.toLowerCase();
  const template = `oc describe ${resource} <name>${namespace === undefined ? "" : " -n <namespace>"}`;
  return fillCommand(template, { name, namespace: namespace ?? "" });
}

/** Formats a duration, more coarsely the longer it is, so that the message rarely changes. */
export function lastingText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes === 1) return "1 minute";
  if (minutes < 10) return `${minutes} minutes`;
  if (minutes < 60) return `${Math.floor(minutes / 5) * 5} minutes`;
  const hours = Math.floor(minutes / 30) / 2;
  return `${hours} ${hours === 1 ? "hour" : "hours"}`;
}
