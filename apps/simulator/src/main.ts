// The entry point of the simulator. Runs a scenario against an API server until it is stopped.

import { existsSync, readFileSync } from "node:fs";
import { AccessError, Client, type ControllerGroup, findAccess, Manager, systemClock } from "@virt/kube";
import { allKinds, simulatorInformers } from "./cluster-state.ts";
import { readSimulatorCommandLine, type SimulatorSettings, simulatorHelpText } from "./command-line.ts";
import { readScenario } from "./read-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { seededRandom } from "./seeded-random.ts";
import { SimulationController } from "./simulation-controller.ts";

const printLine = (line: string) => void process.stdout.write(`${line}\n`);
const printError = (line: string) => void process.stderr.write(`virt-simulator: ${line}\n`);

function findScenario(name: string): Scenario | string {
  const known = scenarios.get(name);
  if (known !== undefined) return known;
  if (!existsSync(name))
    return `--scenario=${name}: not a file; the built-in scenarios are ${[...scenarios.keys()].join(", ")}`;
  const read = readScenario(readFileSync(name, "utf8"));
  return read.kind === "read" ? read.scenario : `--scenario=${name}: ${read.problems.slice(0, 3).join("; ")}`;
}

function startSimulation(scenario: Scenario, { kubeconfig, seed, speed, onceReady }: SimulatorSettings): void {
  const access = findAccess({ env: process.env, ...(kubeconfig !== undefined && { kubeconfig }) });
  const client = new Client({ access, userAgent: "virt-simulator" });
  const nothing = () => undefined;
  const simulation = new SimulationController({
    scenario,
    seed,
    speed,
    clock: systemClock,
    manager: () => manager,
    reportEvent: printLine,
    reportError: printError,
    onReady: () => onceReady && printLine("ready"),
  });
  const group: ControllerGroup = {
    name: simulation.name,
    controllers: [simulation],
    observer: {
      added: nothing,
      retried: nothing,
      taken: nothing,
      worked: nothing,
      ended: ({ outcome, cause }) =>
        outcome === "threw" && printError(cause instanceof Error ? (cause.stack ?? "") : String(cause)),
      heldBy: nothing,
      failing: nothing,
      recovered: nothing,
      leading: nothing,
    },
  };
  let draws = 0;
  const manager: Manager = new Manager({
    client,
    clock: systemClock,
    random: () => seededRandom(seed, "backoff", `${draws++}`),
    groups: [group],
    observer: {
      opened: (_scope, message) => printError(message),
      closed: nothing,
      stateChanged: () => manager.enqueue(simulation.name, "cluster"),
      warned: nothing,
      handlerFailed: (error) => printError(String(error)),
    },
  });
  manager.setInformers(allKinds.flatMap(simulatorInformers));
  const stop = () => void manager.stop(AbortSignal.abort()).then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function rejectArguments(message: string): void {
  printError(message);
  process.exitCode = 2;
}

function main(args: readonly string[]): void {
  const read = readSimulatorCommandLine(args);
  if (read.kind === "help")
    return printLine(simulatorHelpText([...scenarios].map(([name, { about }]) => [name, about])));
  if (read.kind === "wrong") return rejectArguments(read.message);
  const scenario = findScenario(read.settings.scenario);
  if (typeof scenario === "string") return rejectArguments(scenario);
  try {
    startSimulation(scenario, read.settings);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    printError(error.message);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
