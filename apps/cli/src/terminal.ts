// The terminal beside the data: a block that is redrawn in place, and questions to whoever sits there.

import { createInterface } from "node:readline/promises";
import { escapeLine } from "@virt/engine";
import { lastLines } from "./fold-text.ts";
import { PromptAborted } from "./verb.ts";

/** The line that the user typed; undefined: stdin is not a terminal. Throws PromptAborted on Ctrl-C and Ctrl-D. */
export async function askPerson(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const abort = () => {
        process.stderr.write("\n"); // the question ends without one
        reject(new PromptAborted());
      };
      reader.once("SIGINT", abort).once("close", abort);
      reader.question(escapeLine(question), { signal }).then(resolve, abort);
    });
  } finally {
    reader.removeAllListeners("close").close();
  }
}

/** Whether progress may be redrawn in place: both streams are one terminal that understands it. */
export function canRedraw(): boolean {
  return process.stdout.isTTY && process.env["TERM"] !== "dumb";
}

/** Draws a block over the one before. What is higher than the terminal is cut at its top: the end says what comes next. */
export class LiveBlock {
  #height = 0;

  draw(text: string): void {
    const { rows, columns } = process.stdout;
    const room = { rows: Math.max(4, (rows || 24) - 1), columns: columns || 80 };
    const { lines, height } = lastLines(text.replace(/\n$/u, "").split("\n"), room);
    const up = this.#height === 0 ? "" : `\u001B[${this.#height}A`;
    process.stdout.write(`${up}\r\u001B[J${lines.join("\n")}\n`);
    this.#height = height;
  }
}
