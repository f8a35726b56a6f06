import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { borrowServer, inRepository, type Server } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

/** The bundle, because loading the sources takes two seconds per process. */
export const main = inRepository("dist", "virt-simulator.mjs");
export const mock = (name: string) => `config/crd/mocks/${name}.yaml`;
export const openShift = [
  "machineconfigs",
  "machineconfigpools",
  "machineconfignodes",
  "kubeletconfigs",
  "machineconfigurations",
  "infrastructures",
  "schedulers",
  "networks",
];
const kubeVirt = ["virtualmachineinstances", "virtualmachineinstancemigrations", "virtualmachines", "kubevirts"];
const hcoOld = "hyperconvergeds-v1beta1";
export const timeout = { timeout: 55_000 };

export type Simulator = {
  readonly lines: readonly string[];
  readonly complaints: readonly string[];
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly stop: () => Promise<number>;
};

/** Runs at maximum speed: a simulated hour takes 3.6 ms. */
export function simulate(api: Server, scenario: string, ...flags: readonly string[]): Simulator {
  const flagged = [
    main,
    "--kubeconfig",
    api.kubeconfig,
    "--scenario",
    scenario,
    "--speed",
    "1000000",
    "--once-ready",
    ...flags,
  ];
  const child = spawn(process.execPath, flagged, { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const complaints: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  createInterface(child.stderr).on("line", (line) => complaints.push(line));
  const until = async (pattern: RegExp) => {
    await expect.poll(() => [...lines, ...complaints].join("\n"), timeout).toMatch(pattern);
  };
  const exit = once(child, "close") as Promise<[number]>;
  const stop = async () => {
    child.kill("SIGTERM");
    const [code] = await exit;
    return code;
  };
  running.push(stop);
  return { lines, complaints, until, stop };
}

const running: (() => Promise<number>)[] = [];

/** Shares one server between the tests of a file. Empties it after each test. */
export function shareServer(): () => Server {
  let started: Server | undefined;
  const server = () => started ?? expect.fail("the server has not been started");
  const own = ["nodes", "daemonsets", "pods", "poddisruptionbudgets"];
  const all = [...openShift, ...own, ...kubeVirt, "hyperconvergeds"].join(",");
  const empty = async () => {
    const { code, stderr } = await server().kubectl("delete", all, "--all", "--all-namespaces", "--wait=false");
    expect([code, stderr]).toEqual([0, ""]);
  };
  beforeAll(async () => {
    const crds = [...openShift, ...kubeVirt, hcoOld].map(mock);
    started = await borrowServer({ name: "kinds of the simulator", prepare: (fresh) => fresh.installCrds(crds) });
  });
  afterAll(() => started?.stop());
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stop) => stop()));
    await empty();
  });
  return server;
}
