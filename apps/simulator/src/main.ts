// The simulator as a process: plays a scenario against the API server of a kubeconfig until it is told to stop.

import { existsSync, readFileSync } from "node:fs";
import { AccessError, Client, findAccess, Host, systemClock, type Tenant } from "@virt/kube";
import { chance } from "./chance.ts";
import { helpText, readCommandLine, type Settings } from "./command-line.ts";
import { allKinds, watchesOf } from "./kinds.ts";
import { readScenario } from "./read-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import { Simulation } from "./simulation.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`virt-simulator: ${line}\n`);

function scenarioOf(name: string): Scenario | string {
  const known = scenarios.get(name);
  if (known !== undefined) return known;
  if (!existsSync(name))
    return `--scenario=${name}: there is no such file, and the known ones are ${[...scenarios.keys()].join(", ")}`;
  const read = readScenario(readFileSync(name, "utf8"));
  return read.kind === "read" ? read.scenario : `--scenario=${name}: ${read.complaints.slice(0, 3).join("; ")}`;
}

function play(scenario: Scenario, { kubeconfig, seed, speed, onceReady }: Settings): void {
  const access = findAccess({ env: process.env, ...(kubeconfig !== undefined && { kubeconfig }) });
  const client = new Client({ access, userAgent: "virt-simulator" });
  const nothing = () => undefined;
  const simulation = new Simulation({
    scenario,
    seed,
    speed,
    clock: systemClock,
    host: () => host,
    tell: say,
    complain,
    ready: () => onceReady && say("ready"),
  });
  const tenant: Tenant = {
    controller: simulation,
    observer: {
      added: nothing,
      retried: nothing,
      taken: nothing,
      worked: nothing,
      ended: ({ how, cause }) =>
        how === "threw" && complain(cause instanceof Error ? (cause.stack ?? "") : String(cause)),
      heldBy: nothing,
      failing: nothing,
      recovered: nothing,
      leading: nothing,
    },
  };
  let draws = 0;
  const host: Host = new Host({
    client,
    clock: systemClock,
    random: () => chance(seed, "backoff", `${draws++}`),
    tenants: [tenant],
    observer: {
      opened: (_scope, message) => complain(message),
      closed: nothing,
      stateChanged: () => host.look(0, "world"),
      told: nothing,
      handlerFailed: (error) => complain(String(error)),
    },
  });
  host.want(allKinds.flatMap(watchesOf));
  const stop = () => void host.stop(AbortSignal.abort()).then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function refuse(message: string): void {
  complain(message);
  process.exitCode = 2;
}

function main(args: readonly string[]): void {
  const read = readCommandLine(args);
  if (read.kind === "help") return say(helpText([...scenarios].map(([name, { about }]) => [name, about])));
  if (read.kind === "wrong") return refuse(read.message);
  const scenario = scenarioOf(read.settings.scenario);
  if (typeof scenario === "string") return refuse(scenario);
  try {
    play(scenario, read.settings);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    complain(error.message);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
