// What could be read, and why it could not: nothing that is missing ever stops an assessment.

import type { NotAssessedReason } from "@virt/api";

/** A value that was read, or why there is none. */
export type Assessment<T> =
  | { readonly isAssessed: true; readonly value: T }
  | { readonly isAssessed: false; readonly reason: NotAssessedReason; readonly message: string };

/** What was read. */
export function assessed<T>(value: T): Assessment<T> {
  return { isAssessed: true, value };
}

/** Nothing was read; the message says what the server answered and may be empty. */
export function notAssessed(reason: NotAssessedReason, message = ""): Assessment<never> {
  return { isAssessed: false, reason, message };
}

/** What was read, or what counts instead. */
export function assessedOr<T>(input: Assessment<T>, otherwise: T): T {
  return input.isAssessed ? input.value : otherwise;
}

/** A text of somebody else as we show it: one line without control characters, cut after `most` characters. */
export function foreignText(text: string, most = 160): string {
  const start = text.length > 4 * most ? text.slice(0, 4 * most) : text;
  const characters = Array.from(start.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim());
  return characters.length > most || start !== text
    ? `${characters.slice(0, most - 1).join("")}…`
    : characters.join("");
}
