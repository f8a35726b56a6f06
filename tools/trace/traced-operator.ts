// Runs the operator from its sources and traces it. In the shipped bundle, functions could not be mapped to files.

import { fork } from "node:child_process";
import { once } from "node:events";
import { inRepository } from "@virt/testkit";
import type { EnteredFile } from "./entered-files.ts";
import type { TraceReply, TraceRequest } from "./record-coverage.ts";

export type TracedOperator = {
  readonly untilQuiet: () => Promise<void>;
  /** Returns the files entered from the cause to the write, and then until the operator is quiet. */
  readonly trace: (
    untilWrite: string,
    cause: () => Promise<void>,
  ) => Promise<{ readonly toWrite: readonly EnteredFile[]; readonly afterWrite: readonly EnteredFile[] }>;
  readonly kill: () => Promise<void>;
};

export function startTracedOperator(flags: readonly string[]): TracedOperator {
  const child = fork(inRepository("apps", "operator", "src", "main.ts"), [...flags], {
    execArgv: ["--import", inRepository("tools", "trace", "record-coverage.ts")],
    cwd: inRepository(),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ask = async (request: TraceRequest): Promise<TraceReply> => {
    const replied = once(child, "message");
    child.send(request);
    const [reply] = await replied;
    return reply as TraceReply;
  };
  const untilQuiet = async () => void (await ask("wait until quiet"));
  return {
    untilQuiet,
    trace: async (untilWrite, cause) => {
      await untilQuiet();
      await ask({ untilWrite });
      const written = once(child, "message");
      await cause();
      const [toWrite] = await written;
      await untilQuiet();
      return { toWrite: filesIn(toWrite as TraceReply), afterWrite: filesIn(await ask("stop")) };
    },
    kill: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function filesIn(reply: TraceReply): readonly EnteredFile[] {
  if (typeof reply === "string") throw new Error(`expected the entered files, not "${reply}"`);
  return reply.entered;
}
