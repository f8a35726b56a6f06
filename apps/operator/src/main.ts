import { readFileSync } from "node:fs";
import { assets, expectedPolicies, profiles, tombstones } from "@virt/catalog";
import { AccessError, systemClock } from "@virt/kube";
import { escapeText } from "@virt/objects";
import { advisorFactory } from "./advisor/controller.ts";
import type { CommandResult } from "./commands/command.ts";
import { commandLines, runCommand } from "./commands/commands.ts";
import { helpText } from "./flags.ts";
import { version } from "./identity.ts";
import { platformFactory } from "./platform/controller.ts";
import { run } from "./run.ts";
import { type CommandLine, readCommandLine } from "./settings.ts";

const args = process.argv.slice(2);
const ended = await runCommand(args, {
  catalog: { assets, profiles },
  environment: process.env,
  readFile: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
  now: systemClock.wall,
  version,
});
if (ended === undefined)
  await start(readCommandLine(args, { isTerminal: process.stdout.isTTY, environment: process.env }));
else printResult(ended);

async function start(line: CommandLine): Promise<void> {
  switch (line.kind) {
    case "help":
      process.stdout.write(helpText(commandLines));
      break;
    case "version":
      process.stdout.write(`virt-operator ${version}\n`);
      break;
    case "wrong":
      complain(line.message, 2);
      break;
    case "run": {
      const stop = new AbortController();
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
      }
      try {
        const factories = {
          advisor: advisorFactory(profiles, expectedPolicies.advisor),
          platform: platformFactory({
            assets,
            tombstones,
            profiles,
            policies: expectedPolicies.platform,
          }),
        };
        await run(
          line.settings,
          line.settings.controllers.map((name) => factories[name]),
          stop.signal,
        );
      } catch (error) {
        if (!(error instanceof AccessError)) throw error;
        complain(error.message, 1);
      }
    }
  }
}

function printResult({ out, notes, failure }: CommandResult): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error; // the reader closed the pipe early
  });
  process.stdout.write(out);
  const lines = [...notes, ...(failure === undefined ? [] : [`Error: ${failure}`])];
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
  if (failure !== undefined) process.exitCode = 1;
}

function complain(message: string, code: number): void {
  process.stderr.write(`virt-operator: ${escapeText(message)}\n`);
  process.exitCode = code;
}
