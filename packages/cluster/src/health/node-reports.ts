// Removes duplicate node reports from the message of a degraded pool.

const report = /Node (\S+) is reporting: "((?:[^"\\]|\\.)*)"/gu;

/**
 * Returns the message with each report only once. The Machine Config Controller lists a degraded node twice: with the
 * message of its MachineConfigNode, which starts with `Node <name> upgrade failure.`, and with the node's annotation,
 * which the daemon truncates to 2,000 characters. Checked against `SetDegraded` (pkg/daemon/writer.go) and
 * `calculateStatus`
 * (pkg/controller/node/status.go) of openshift/machine-config-operator at 00d4bfc.
 */
export function listReportsOnce(message: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of message.matchAll(report)) {
    const [text, name = "", reason = ""] = match;
    parts.push(message.slice(end, match.index), `Node ${name} is reporting: "${withoutFailure(reason, name)}"`);
    end = match.index + text.length;
  }
  const trimmed = [...parts, message.slice(end)].map((part) => part.replaceAll(/^[\s,]+|[\s,]+$/gu, ""));
  const distinct = [...new Set(trimmed.filter((part) => part !== ""))];
  return distinct.filter((part) => !isCut(part, distinct)).join(", ");
}

function withoutFailure(reason: string, node: string): string {
  const start = `Node ${node} upgrade failure. `;
  return reason.startsWith(start) ? reason.slice(start.length) : reason;
}

function isCut(part: string, all: readonly string[]): boolean {
  const start = part.replace(/"$/u, "");
  return start !== part && all.some((other) => other.length > part.length && other.startsWith(start));
}
