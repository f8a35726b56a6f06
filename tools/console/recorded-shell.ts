// Records commands typed into a shell as an asciicast v2. The terminal comes from `script` of util-linux.

import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

export type RecordedShell = {
  /** Types a command and waits for the prompt. `asks` is the prompt that precedes `answer`. */
  readonly run: (command: string, question?: { readonly asks: string; readonly answer: string }) => Promise<void>;
  readonly interrupt: () => void;
  readonly isShown: (words: string) => Promise<void>;
  readonly end: () => Promise<void>;
  /** Returns the cast, with long pauses shortened. */
  readonly cast: () => string;
};

export type ShellOptions = { readonly title: string; readonly env: NodeJS.ProcessEnv };

type Frame = { readonly atMs: number; readonly text: string };

const size = { width: 110, height: 34 };
const prompt = "$ ";
const patienceMs = 90_000;
const keyMs = 25;
const readMs = 1_200;

export async function openRecordedShell({ title, env }: ShellOptions): Promise<RecordedShell> {
  const command = `stty cols ${size.width} rows ${size.height}; exec sh -i`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...env, TERM: "xterm-256color", ENV: "", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const frames: Frame[] = [];
  let since = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    frames.push({ atMs: performance.now(), text });
    since += text;
  });
  const until = async (isIt: () => boolean) => {
    const deadline = AbortSignal.timeout(patienceMs);
    while (!isIt()) {
      if (deadline.aborted) throw new Error(`the terminal shows only: ${since}`);
      await wait(20);
    }
  };
  const type = async (words: string) => {
    for (const key of words) {
      child.stdin.write(key);
      await wait(keyMs);
    }
    child.stdin.write("\r");
  };
  const isReady = () => ["\n", "^C"].some((before) => since.endsWith(`${before}${prompt}`));
  await until(() => /[#$] $/.test(since));
  child.stdin.write(`PS1='${prompt}'\r`);
  await until(isReady);
  frames.splice(0, frames.length, { atMs: performance.now(), text: prompt });
  return {
    run: async (typed, question) => {
      await until(isReady);
      await wait(readMs);
      since = "";
      await type(typed);
      if (question !== undefined) {
        await until(() => since.includes(question.asks));
        await type(question.answer);
      }
      await until(isReady);
    },
    interrupt: () => void child.stdin.write("\u0003"),
    isShown: (words) => until(() => since.includes(words)),
    end: async () => {
      child.stdin.end("exit\r");
      await closed;
    },
    cast: () => writeCast(title, frames),
  };
}

const longestPauseMs = 1_500;

export function writeCast(title: string, frames: readonly Frame[]): string {
  let at = 0;
  const events = frames.map(({ atMs, text }, index) => {
    at += Math.min(longestPauseMs, atMs - (frames[index - 1]?.atMs ?? atMs));
    return JSON.stringify([Number((at / 1000).toFixed(3)), "o", text]);
  });
  return `${[JSON.stringify({ version: 2, ...size, title }), ...events].join("\n")}\n`;
}
