// The operator as a process.

import { readFileSync } from "node:fs";
import { assets, features, operatorOf, profiles, tombstones } from "@virt/catalog";
import { AccessError, systemClock } from "@virt/kube";
import { advisorResident } from "./advisor/resident.ts";
import type { Ended } from "./commands/command.ts";
import { commandLines, runCommand } from "./commands/commands.ts";
import { helpText } from "./flags.ts";
import { platformResident } from "./platform/resident.ts";
import { run } from "./run.ts";
import { type CommandLine, readCommandLine } from "./settings.ts";
import { version } from "./version.ts";

const args = process.argv.slice(2);
const ended = await runCommand(args, {
  catalog: { assets, features, profiles, operatorOf },
  environment: process.env,
  readFile: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
  now: systemClock.wall,
  version,
});
if (ended === undefined) await start(readCommandLine(args, process.stdout.isTTY));
else tell(ended);

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
        const residents = {
          advisor: advisorResident(profiles),
          platform: platformResident({ assets, tombstones, profiles, features, operatorOf }),
        };
        await run(
          line.settings,
          line.settings.controllers.map((name) => residents[name]),
          stop.signal,
        );
      } catch (error) {
        if (!(error instanceof AccessError)) throw error;
        complain(error.message, 1);
      }
    }
  }
}

function tell({ out, notes, trouble }: Ended): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error; // whoever reads may have read enough
  });
  process.stdout.write(out);
  const lines = [...notes, ...(trouble === undefined ? [] : [`Error: ${trouble}`])];
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
  if (trouble !== undefined) process.exitCode = 1;
}

function complain(message: string, code: number): void {
  process.stderr.write(`virt-operator: ${message}\n`);
  process.exitCode = code;
}
