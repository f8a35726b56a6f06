import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect } from "vitest";
import type { Shell } from "./shell.ts";

export type Printed = {
  readonly type: string;
  /** `<config> is <phase>`: must hold afterwards. */
  readonly then?: string;
  readonly prints?: string;
  /** Words to wait for. The command does not end on its own. */
  readonly watch?: string;
  readonly background?: boolean;
  readonly last?: boolean;
  /** A program that may be missing on this machine. */
  readonly needs?: string;
  readonly first?: { readonly type: string; readonly then: string };
  readonly because?: string;
  readonly instead?: string;
  readonly not?: string;
  readonly elsewhere?: string;
};

export type SeedBlock = {
  readonly document: string;
  readonly headline: string;
  readonly commands?: readonly Printed[];
  readonly not?: string;
};

export const seedBlocks = load(
  readFileSync(new URL("seed-commands.yaml", import.meta.url), "utf8"),
) as readonly SeedBlock[];

export function isTyped({ not, elsewhere }: Printed): boolean {
  return not === undefined && elsewhere === undefined;
}

export async function tryOut(shell: Shell, printed: Printed): Promise<void> {
  const { type, first, instead, watch, needs, background = false, prints = "", then } = printed;
  if (background) return;
  if (needs !== undefined && (await shell.run(`command -v ${needs}`)).code !== 0) return;
  if (first) await tryOut(shell, first);
  if (watch !== undefined) {
    await shell.watch(type, (words) => words.includes(watch));
    return;
  }
  if (instead !== undefined) {
    const { code } = await shell.run(type);
    expect({ type, isWrong: code !== 0 }).toEqual({ type, isWrong: true });
  }
  const { code, stdout, stderr } = await shell.run(instead ?? type);
  expect(code, `${instead ?? type}: ${stderr}`).toBe(0);
  expect(inOneLine(stdout)).toContain(inOneLine(prints));
  if (then !== undefined) await untilPhase(shell, then);
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

async function untilPhase(shell: Shell, wanted: string): Promise<void> {
  const [name] = wanted.split(" ");
  const template = `{.metadata.name} is {.status.phase}, {.metadata.generation} {.status.observedGeneration}`;
  const seen = async () => (await shell.run(`kubectl get vpconf ${name} -o jsonpath='${template}'`)).stdout;
  await expect.poll(seen).toMatch(new RegExp(`^${wanted}, (\\d+) \\1$`));
}
