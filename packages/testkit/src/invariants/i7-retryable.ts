// I7: an error that will pass does not end in a terminal phase. Judged by the words of the status, as nothing else tells.

import type { History } from "./history.ts";
import { ownSteps } from "./steps.ts";
import type { StoredStatus } from "./stored-config.ts";
import { type Violation, violation } from "./violation.ts";

const terminal = ["Failed", "CompletedWithErrors"];

export function endsByRetryable(history: History): readonly Violation[] {
  return ownSteps(history)
    .filter(({ after, before }) => isEntry(before?.object?.status?.phase, after.status?.phase))
    .flatMap(({ after, by }) => {
      const words = reasons(after.status ?? {}).find(isRetryable);
      return words === undefined ? [] : [violation("I7", by, `${after.status?.phase} because of "${words}"`)];
    });
}

function isEntry(before: string | undefined, after: string | undefined): boolean {
  return after !== undefined && terminal.includes(after) && before !== after;
}

function reasons({ phase, conditions = [], items = [] }: StoredStatus): readonly string[] {
  const own = conditions.filter(({ type }) => type === phase);
  const failed = items.filter(({ state }) => state === "Failed");
  return [...own, ...failed].flatMap(({ message }) => (message === undefined ? [] : [message]));
}

/** Ends that are meant: our own wait is over, a pool cannot render, the server will never take the body. */
const final =
  /Timeout waiting for resource to become healthy|failed: timeout after|cannot render|failed to create typed patch object/;

const passing = [
  /\b(?:ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)\b|socket hang up|broken connection|connection (?:reset|refused)/i,
  /\b(?:401|408|409|429|5\d\d)\b/,
  /Unauthorized|too many requests|TooManyRequests|please apply your changes to the latest version/i,
  /Internal error occurred|InternalError|ServiceUnavailable|currently unable to handle|etcdserver|leader changed/i,
  /did not complete within|deadline exceeded|timed out|Timeout:|does not answer/i,
];

function isRetryable(message: string): boolean {
  return !final.test(message) && passing.some((words) => words.test(message));
}
