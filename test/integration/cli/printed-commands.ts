// The commands in the texts of the product, as the sources have them, and those that a test pastes for each.

import { globSync, readFileSync } from "node:fs";
import { isShipped, textsIn } from "../../../tools/texts/collect.ts";

export type PastedTemplate = {
  /** The beginning of a command in the sources, with `<name>` for each value. */
  readonly template: string;
  readonly commands: readonly string[];
  readonly code?: number;
};

export type PrintedCommand = { readonly file: string; readonly command: string };

/** From their first word to the end of the text. `<program>` stands for the plugin. */
export function printedCommands(globs: readonly string[]): readonly PrintedCommand[] {
  return globSync(globs)
    .filter((file) => isShipped(file))
    .flatMap((file) => textsIn(file, readFileSync(file, "utf8")).map(({ text }) => ({ file, text })))
    .flatMap(({ file, text }) =>
      [
        ...text
          .replaceAll(/<(?:\w+\.)?program>/gu, "kubectl virt-advisor")
          .matchAll(/(?<!\w)(?:kubectl|oc|virtctl) [a-z][^\n]*/gu),
      ].map(([command]) => ({ file, command })),
    );
}
