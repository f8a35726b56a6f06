// Fills the messages and commands of the catalogue. A foreign text never becomes part of a command, and a name only if it is one.

import { foreignText } from "../assessed.ts";

/** What stands for `<name>` in a template; a number also chooses between `{name:one|several}`. */
export type TemplateValues = Readonly<Record<string, string | number>>;

const mostName = 253;

/** Names of objects, one or several, and commands of ours; all other values may be texts of somebody else. */
const nameValues = new Set(["p", "n", "v", "ns", "pod", "b", "k", "mc", "nodes", "restore"]);
const mostNames = 3 * mostName;

/**
 * The message with its values, each cut to one line. A part in brackets is left out if a value of it is missing. What a value
 * contains is never taken for a placeholder.
 */
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

/** The template as a document shows it: with its placeholders, and in the plural. */
export function showTemplate(template: string): string {
  return template.replaceAll(/\{[a-zA-Z]+:[^|}]*\|([^}]*)\}/g, "$1");
}

/** Undefined where a name is not one that Kubernetes would accept: whatever it is, nobody shall paste it into a shell. */
export function fillCommand(template: string, names: Readonly<Record<string, string>>): string | undefined {
  const wanted = [...template.matchAll(/<([a-zA-Z]+)>/g)].map(([, name = ""]) => names[name]);
  if (!wanted.every((name) => name !== undefined && isDnsName(name))) return undefined;
  return template.replaceAll(/<([a-zA-Z]+)>/g, (_, name) => names[String(name)] ?? "");
}

/** Whether the text is a DNS-1123 subdomain, as names of objects are. */
export function isDnsName(text: string): boolean {
  return (
    text.length <= mostName && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text)
  );
}

/** An object that a finding is about. */
export type FindingObject = { readonly kind: string; readonly namespace?: string; readonly name: string };

/** `oc describe`, which shows conditions and events. */
export function describeCommand({ kind, namespace, name }: FindingObject): string | undefined {
  // Our own CRD is in the category kubevirt, which oc prefers to the singular name of KubeVirt.
  const resource = kind === "KubeVirt" ? "kubevirts" : kind.toLowerCase();
  const template = `oc describe ${resource} <name>${namespace === undefined ? "" : " -n <namespace>"}`;
  return fillCommand(template, { name, namespace: namespace ?? "" });
}

/** Returns a duration in steps that grow with it, so that a message changes rarely. */
export function lastingText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes === 1) return "1 minute";
  if (minutes < 10) return `${minutes} minutes`;
  if (minutes < 60) return `${Math.floor(minutes / 5) * 5} minutes`;
  const hours = Math.floor(minutes / 30) / 2;
  return `${hours} ${hours === 1 ? "hour" : "hours"}`;
}
