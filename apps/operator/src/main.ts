// The operator as a process.

import { assets, profiles, tombstones } from "@virt/catalog";
import { AccessError } from "@virt/kube";
import { advisorResident } from "./advisor/resident.ts";
import { helpText } from "./flags.ts";
import { platformResident } from "./platform/resident.ts";
import { run } from "./run.ts";
import { readCommandLine } from "./settings.ts";
import { version } from "./version.ts";

const line = readCommandLine(process.argv.slice(2), process.stdout.isTTY);
switch (line.kind) {
  case "help":
    process.stdout.write(helpText());
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
        platform: platformResident({ assets, tombstones, profiles }),
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

function complain(message: string, code: number): void {
  process.stderr.write(`virt-operator: ${message}\n`);
  process.exitCode = code;
}
