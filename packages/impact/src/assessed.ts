// Inputs that may be missing. An assessment can do without them.

import type { NotAssessedReason } from "@virt/api";

/** A value, or the reason why it could not be read. */
export type Assessment<T> =
  | { readonly isAssessed: true; readonly value: T }
  | { readonly isAssessed: false; readonly reason: NotAssessedReason; readonly message: string };

/** Returns an assessment with a value. */
export function assessed<T>(value: T): Assessment<T> {
  return { isAssessed: true, value };
}

/** Returns an assessment without a value. `message` is the API server's message, which may be empty. */
export function notAssessed(reason: NotAssessedReason, message = ""): Assessment<never> {
  return { isAssessed: false, reason, message };
}

/** Returns the value, or `otherwise` if it could not be read. */
export function assessedOr<T>(input: Assessment<T>, otherwise: T): T {
  return input.isAssessed ? input.value : otherwise;
}

/**
 * Makes untrusted text safe to display: on one line, without control characters, and at most `most` characters long.
 */
export function foreignText(text: string, most = 160): string {
  const start = text.length > 4 * most ? text.slice(0, 4 * most) : text;
  const characters = Array.from(start.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim());
  return characters.length > most || start !== text
    ? `${characters.slice(0, most - 1).join("")}…`
    : characters.join("");
}
