// Validates flag values, before any request is sent.

import { CliError } from "./verb.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds of a Go duration such as `1h30m`. A bare number is seconds, as in kubectl. */
export function readFlagDuration(text: string, flag: string): number {
  const milliseconds = durationOf(text);
  if (milliseconds === undefined) throw new CliError(`--${flag} ${text}: ${valueForms.DURATION(text)}`);
  return milliseconds;
}

function durationOf(text: string): number | undefined {
  if (/^\d+$/u.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce((sum, [, count, unit = "s"]) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

type ValueForm = (text: string) => string | undefined;

/** The validators. Each returns an error that includes the fix, or undefined. All other flags accept any string. */
const valueForms = {
  DURATION: (text) => (durationOf(text) === undefined ? "invalid duration; examples: 90s, 10m, 1h30m" : undefined),
  PORT: (text) =>
    /^\d{1,5}$/u.test(text) && Number(text) <= 65_535
      ? undefined
      : "invalid port; enter a number up to 65535, or 0 for any free port",
  HASH: (text) => (/^[0-9a-f]+$/u.test(text) ? undefined : "invalid plan hash; copy it from the plan"),
  "KEY=VALUE": (text) => (/^\w+(?:\.\w+)*=/u.test(text) ? undefined : "use the form key=value"),
  NAMESPACE: (text) =>
    label.test(text) ? undefined : "invalid namespace name; use lower-case letters, digits and '-'",
} as const satisfies Readonly<Record<string, ValueForm>>;

export function findMalformedValue(form: string, text: string): string | undefined {
  return Object.hasOwn(valueForms, form) ? valueForms[form as keyof typeof valueForms](text) : undefined;
}
