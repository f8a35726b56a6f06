// Runs every command of the guide in order and compares the answers with the printed ones.

import { profiles } from "@virt/catalog";
import { load } from "js-yaml";
import { expect } from "vitest";
import type { TestCluster } from "../../support/test-cluster.ts";
import { openShell, type Shell } from "../shell.ts";
import { checkDifferences } from "./allowed-differences.ts";
import { differences } from "./differences.ts";
import { copiedSteps, type Step } from "./steps.ts";
import { viewOf } from "./view.ts";

export type GuideRun = {
  readonly testCluster: TestCluster;
  readonly shell: Shell;
  /** Returns the guide's next commands. Fails if they are not in this section. */
  readonly next: (section: string) => Step;
  /** Runs one command. Fails if the server rejects it. */
  readonly type: (command: string) => Promise<string>;
  readonly runAndCompare: (section: string) => Promise<void>;
  readonly remainingSteps: () => readonly Step[];
};

export function openGuideRun(testCluster: TestCluster): GuideRun {
  const shell = openShell(testCluster.server);
  const steps = [...copiedSteps()];
  const next = (section: string) => {
    const step = steps.shift();
    if (step?.section.split(/[.:]/)[0] !== section)
      throw new Error(`the next section of the guide is ${step?.section}`);
    return step;
  };
  const type = async (command: string) => {
    const { code, stdout, stderr } = await shell.run(command);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" });
    return stdout;
  };
  const runAndCompare = async (section: string) => {
    const { commands, prints, shows } = next(section);
    const printed = await type(commands.join("\n"));
    if (prints) expect(cellsOf(linesOf(printed), prints)).toEqual(cellsOf(prints, prints));
    else expectAsPrinted(section, shows, load(printed));
  };
  return { testCluster, shell, next, type, runAndCompare, remainingSteps: () => steps };
}

/** Omits the profiles of later releases, which the guide does not show. */
function linesOf(printed: string): readonly string[] {
  const isLater = (line: string) => laterProfiles.some((name) => line.startsWith(`${name} `));
  return printed
    .trimEnd()
    .split("\n")
    .filter((line) => !isLater(line));
}

const laterProfiles = profiles
  .map(({ name }) => name)
  .filter((name) => !["load-aware-rebalancing", "virt-higher-density", "example-profile"].includes(name));

function cellsOf(table: readonly string[], guide: readonly string[]): readonly (readonly string[])[] {
  const wanted = headingsOf(guide).map(({ name }) => name);
  const columns = headingsOf(table).filter(({ name }) => name !== "AGE" && wanted.includes(name));
  return table.map((line) => columns.map(({ from, to }) => line.slice(from, to).trim()));
}

function headingsOf([head = ""]: readonly string[]): readonly { name: string; from: number; to: number | undefined }[] {
  const found = [...head.matchAll(/\S+/g)];
  return found.map((heading, at) => ({ name: heading[0], from: heading.index, to: found[at + 1]?.index }));
}

function expectAsPrinted(section: string, guide: Step["shows"], ours: unknown): void {
  const check = checkDifferences(section, differences(guide, viewOf(ours)));
  expect({ section, ...check }).toEqual({ section, unexpected: [], missing: [] });
  const { metadata, status } = ours as PrintedConfig;
  const bare = status.conditions.filter(
    ({ lastTransitionTime, observedGeneration }) =>
      observedGeneration !== metadata.generation || !isTime.test(lastTransitionTime),
  );
  expect({ section, bare }).toEqual({ section, bare: [] });
}

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

type PrintedConfig = {
  readonly metadata: { readonly generation: number };
  readonly status: {
    readonly conditions: readonly {
      readonly type: string;
      readonly lastTransitionTime: string;
      readonly observedGeneration: number;
    }[];
  };
};
