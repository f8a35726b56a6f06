// Formats failures as one line, with the stack if --debug is set.

import { AccessError } from "@virt/kube";
import { escapeLine, escapeText } from "@virt/objects";
import { CliError, type ExitCode, exitCodes } from "./verb.ts";

const issues = "https://github.com/kubevirt/virt-operators/issues";

/** Expected failures have a message for the user. All others are bugs. */
export function describeThrown(error: unknown, { isDebug, version }: { isDebug: boolean; version: string }): string {
  const isExpected = error instanceof CliError || error instanceof AccessError;
  const summary = isExpected
    ? `error: ${error.message}`
    : `unexpected error: ${messageOf(error)}. This is a bug. Run the command again with --debug and report the output at ${issues}`;
  const line = `${escapeLine(summary)}\n`;
  if (!isDebug) return line;
  const { platform, arch, version: node } = process;
  return `${line}kubectl virt-advisor ${version}, Node ${node}, ${platform} ${arch}\n${escapeText(stackOf(error))}\n`;
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof CliError ? error.exitCode : exitCodes.error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? messageOf(error);
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}
