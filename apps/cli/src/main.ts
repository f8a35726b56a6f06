// The entry point of kubectl virt-advisor: parses the command line, runs one verb and sets the exit code.

import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Access, findAccess } from "@virt/kube";
import { type ReadArguments, readArguments, writeHelp } from "./arguments.ts";
import { ClusterSession } from "./cluster-session.ts";
import { describeThrown, exitCodeOf } from "./failure-text.ts";
import { readFlagDuration } from "./flag-values.ts";
import { provideGroupBy } from "./group-by.ts";
import { type OutputFormat, Printer } from "./printer.ts";
import { askPerson } from "./terminal.ts";
import { CliError, type ExitCode, exitCodes, PromptAborted, type VerbContext } from "./verb.ts";

declare const BUILD_VERSION: string | undefined;
const version = typeof BUILD_VERSION === "undefined" ? "v0.0.0-dev" : BUILD_VERSION;

const { env } = process;
/** The command to show in messages. kubectl and oc do not tell a plugin which of them was called, so this is a guess. */
const program =
  env["VIRT_ADVISOR_CALLED_AS"] || (basename(env["_"] ?? "") === "oc" ? "oc virt-advisor" : "kubectl virt-advisor");

const isDebug = process.argv.includes("--debug");

provideGroupBy();
process.on("uncaughtException", (error) => {
  process.stderr.write(describeThrown(error, { isDebug, version }));
  process.exit(exitCodeOf(error));
});
void main();

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error; // the reader closed the pipe, as `head` does
      process.exit(exitCodes.done);
    });
  try {
    const read = readArguments(process.argv.slice(2), program);
    if (read.kind === "help") process.stdout.write(writeHelp(read.verb, program));
    else process.exitCode = await runVerb(read);
  } catch (error) {
    process.stderr.write(describeThrown(error, { isDebug, version }));
    process.exitCode = exitCodeOf(error);
  }
}

async function runVerb({ verb, words, values }: Extract<ReadArguments, { kind: "run" }>): Promise<ExitCode> {
  const flag = (name: string) => values.get(name)?.at(-1);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // each request in flight adds a listener
  process.on("SIGINT", () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  process.on("SIGTERM", () => stop.abort());
  let session: ClusterSession | undefined;
  const access = () => accessFor(values);
  const context: VerbContext = {
    words,
    flag,
    all: (name) => values.get(name) ?? [],
    isOn: (name) => values.has(name),
    printer: new Printer({
      ...readOutput(flag("output")),
      isColored: isColored(flag("color")),
      columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
      writeData: (text) => process.stdout.write(text),
      writeProgress: (text) => process.stderr.write(text),
    }),
    session: () => {
      session ??= new ClusterSession({
        access: access(),
        version,
        requestMs: requestMs(flag),
        signal: stop.signal,
      });
      return session;
    },
    access,
    signal: stop.signal,
    now: () => Date.now(),
    version,
    program,
    ask: (question) => askPerson(question, stop.signal),
    readFile: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
    environment: env,
  };
  try {
    const run = await verb.load();
    const code = await run(context);
    return stop.signal.aborted && !verb.isServer ? interrupted() : code;
  } catch (error) {
    if (error instanceof PromptAborted) {
      process.stderr.write("Aborted. Nothing was changed.\n");
      return interrupted();
    }
    if (stop.signal.aborted) return interrupted();
    throw error;
  } finally {
    session?.close();
  }
}

/** The exit code of a shell after Ctrl-C. */
function interrupted(): ExitCode {
  return 130 as ExitCode;
}

function readOutput(output = "table"): { readonly format: OutputFormat; readonly template?: string } {
  const start = "jsonpath=";
  if (output.startsWith(start)) return { format: "jsonpath", template: output.slice(start.length) };
  return { format: output as OutputFormat };
}

function isColored(when: string | undefined): boolean {
  if (when !== undefined && when !== "auto") return when === "always";
  return process.stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

function requestMs(flag: (name: string) => string | undefined): number | undefined {
  const given = flag("request-timeout");
  return given === undefined ? undefined : readFlagDuration(given, "request-timeout") || undefined;
}

function accessFor(values: ReadonlyMap<string, readonly string[]>): Access {
  const one = (name: string) => values.get(name)?.at(-1);
  const [kubeconfig, context, user] = [one("kubeconfig"), one("context"), one("as")];
  const access = findAccess({ env, isPersonal: true, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  const groups = values.get("as-group") ?? [];
  if (user === undefined && groups.length > 0) throw new CliError("--as-group requires --as");
  return user === undefined ? access : { ...access, impersonate: { user, groups, extra: {} } };
}
