// Terminal interaction other than data output: prompts, and a block that is redrawn in place.

import { createInterface } from "node:readline/promises";
import { escapeLine } from "@virt/objects";
import { lastLines } from "./fold-text.ts";
import { PromptAborted } from "./verb.ts";

/** Returns the typed line, or undefined if stdin is not a terminal. Throws PromptAborted on Ctrl-C and Ctrl-D. */
export async function askPerson(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const abort = () => {
        process.stderr.write("\n"); // ends the line of the prompt
        reject(new PromptAborted());
      };
      reader.once("SIGINT", abort).once("close", abort);
      reader.question(escapeLine(question), { signal }).then(resolve, abort);
    });
  } finally {
    reader.removeAllListeners("close").close();
  }
}

type OutputStream = Pick<NodeJS.WriteStream, "rows" | "columns"> & { readonly isTTY?: boolean };

/** Reports whether stdout is a terminal of known size that can move its cursor. */
export function canRedraw(stdout: OutputStream = process.stdout, terminal = process.env["TERM"] ?? ""): boolean {
  const hasCursor = terminal !== "" && terminal !== "dumb";
  return stdout.isTTY === true && hasCursor && stdout.rows > 0 && stdout.columns > 0;
}

/** Redraws a block in place. Cuts off the top of a block that does not fit, because the next step is at the bottom. */
export class LiveBlock {
  #height = 0;

  draw(text: string): void {
    const { rows, columns } = process.stdout;
    const room = { rows: Math.max(4, rows - 1), columns };
    const { lines, height } = lastLines(text.replace(/\n$/u, "").split("\n"), room);
    const up = this.#height === 0 ? "" : `\u001B[${this.#height}A`;
    process.stdout.write(`${up}\r\u001B[J${lines.join("\n")}\n`);
    this.#height = height;
  }
}
