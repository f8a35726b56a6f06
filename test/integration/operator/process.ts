import { freePorts } from "@virt/testkit";
import { onTestFinished } from "vitest";
import { type LogLine, type RunningProgram, startProgram } from "../../support/program.ts";

export type Operator = RunningProgram & {
  /** Returns the status of a probe, or 0 if the port is closed. */
  readonly probe: (path: string) => Promise<number>;
  readonly probed: (path: string) => Promise<string>;
};

export async function startOperator(...flags: readonly string[]): Promise<Operator> {
  const [probes = 0, metrics = 0] = await freePorts(2);
  const addresses = [`--health-probe-bind-address=127.0.0.1:${probes}`, `--metrics-bind-address=127.0.0.1:${metrics}`];
  const program = startProgram("virt-operator", [...addresses, ...flags]);
  onTestFinished(program.kill);
  const ask = (path: string) => fetch(`http://127.0.0.1:${probes}${path}`);
  const probed = async (path: string) => (await ask(path)).text();
  const probe = (path: string) =>
    ask(path).then(
      ({ status }) => status,
      () => 0,
    );
  return { ...program, probe, probed };
}

export function alarms({ log }: Operator): readonly LogLine[] {
  return log.filter(({ level }) => level === "warn" || level === "error");
}
