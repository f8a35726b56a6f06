import { expect, test } from "vitest";
import { readSimulatorCommandLine, simulatorHelpText } from "./command-line.ts";

const usual = { scenario: "default", speed: 1, seed: 1, onceReady: false };

test.each([
  [[], usual],
  [["--speed", "100", "--seed=7", "--once-ready"], { ...usual, speed: 100, seed: 7, onceReady: true }],
  [["--speed", "0.5", "--scenario", "compact"], { ...usual, speed: 0.5, scenario: "compact" }],
  [["--kubeconfig", "a=b"], { ...usual, kubeconfig: "a=b" }],
])("accepts %j", (args, settings) => {
  expect(readSimulatorCommandLine(args)).toEqual({ kind: "run", settings });
});

test.each([
  [["--nonsense"], "unknown flag --nonsense; see --help"],
  [["--constructor"], "unknown flag --constructor; see --help"],
  [["now"], '"now" is not a flag; see --help'],
  [["--speed"], "--speed needs a value; see --help"],
  [["--speed", "fast"], "--speed=fast: must be a number above 0; see --help"],
  [["--seed", "-1"], "--seed=-1: must be a whole number of at most 9 digits; see --help"],
])("rejects %j with a message that names the flag", (args, message) => {
  expect(readSimulatorCommandLine(args)).toEqual({ kind: "wrong", message });
});

test("help names each flag and each scenario", () => {
  expect(readSimulatorCommandLine(["--speed", "2", "--help"])).toEqual({ kind: "help" });
  const help = simulatorHelpText([["compact", "three nodes"]]);
  for (const word of [
    "--kubeconfig <file>",
    "--scenario",
    "--speed",
    "--seed",
    "--once-ready",
    "compact",
    "three nodes",
  ]) {
    expect(help).toContain(word);
  }
});
