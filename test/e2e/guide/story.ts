// Plays the guide from its first command to its last: in order, leaving none out, each answer held against the printed one.

import { load } from "js-yaml";
import { expect } from "vitest";
import type { World } from "../../world/world.ts";
import { openShell, type Shell } from "../shell.ts";
import { judge } from "./allowed.ts";
import { differences } from "./differences.ts";
import { copiedSteps, type Step } from "./steps.ts";
import { viewOf } from "./view.ts";

export type Story = {
  readonly world: World;
  readonly shell: Shell;
  /** The next commands of the guide, which must be of this section. */
  readonly next: (section: string) => Step;
  /** Types one command; the server must take it. */
  readonly type: (command: string) => Promise<string>;
  /** Types the next command and compares what it shows with the guide. */
  readonly look: (section: string) => Promise<void>;
  readonly unplayed: () => readonly Step[];
};

export function openStory(world: World): Story {
  const shell = openShell(world.server);
  const steps = [...copiedSteps()];
  const next = (section: string) => {
    const step = steps.shift();
    if (step?.section.split(/[.:]/)[0] !== section) throw new Error(`the guide goes on with ${step?.section}`);
    return step;
  };
  const type = async (command: string) => {
    const { code, stdout, stderr } = await shell.run(command);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" });
    return stdout;
  };
  const look = async (section: string) => {
    const { commands, prints, shows } = next(section);
    const printed = await type(commands.join("\n"));
    if (prints) expect(withoutAge(printed.trimEnd().split("\n"))).toEqual(withoutAge(prints));
    else expectAsPrinted(section, shows, load(printed));
  };
  return { world, shell, next, type, look, unplayed: () => steps };
}

function withoutAge(table: readonly string[]): readonly string[] {
  return table.map((line) => line.replace(/\S+$/, ""));
}

function expectAsPrinted(section: string, guide: Step["shows"], ours: unknown): void {
  const verdict = judge(section, differences(guide, viewOf(ours)));
  expect({ section, ...verdict }).toEqual({ section, unexpected: [], missing: [] });
  const { metadata, status } = ours as Shown;
  const bare = status.conditions.filter(
    ({ lastTransitionTime, observedGeneration }) =>
      observedGeneration !== metadata.generation || !isTime.test(lastTransitionTime),
  );
  expect({ section, bare }).toEqual({ section, bare: [] });
}

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

type Shown = {
  readonly metadata: { readonly generation: number };
  readonly status: {
    readonly conditions: readonly {
      readonly type: string;
      readonly lastTransitionTime: string;
      readonly observedGeneration: number;
    }[];
  };
};
