// Observes one field from a separate process, so that load in this process does not distort the times.

import { createInterface } from "node:readline";
import type { Server } from "@virt/testkit";
import { spawnNode } from "./child.ts";
import { programPath } from "./programs.ts";
import { until } from "./wait.ts";

type Observation = { readonly at: number; readonly value: unknown };

export type FieldObserver = {
  /** Waits until both values have been seen in this order, and returns the milliseconds between them. */
  readonly between: (from: string, to: string) => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type ObservedField = { readonly path: string; readonly field: string };

export function observeField(api: Server, { path, field }: ObservedField): FieldObserver {
  const [list, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
  const { kubeconfig } = api.user("observer", ["system:masters"]);
  const spawned = spawnNode(programPath("field-observer"), [], {
    KUBECONFIG: kubeconfig,
    LIST: list,
    NAME: name,
    FIELD: field,
  });
  const { stdout, stderr } = spawned.process;
  if (stdout === null || stderr === null) throw new Error("the observer has no pipes");
  let observations: Observation[] = [];
  let words = "";
  createInterface(stdout).on("line", (line) => observations.push(JSON.parse(line) as Observation));
  stderr.on("data", (more: Buffer) => {
    words += more.toString();
  });
  const between = async (from: string, to: string) => {
    const find = () => {
      const first = observations.findIndex(({ value }) => value === from);
      const last = first < 0 ? undefined : observations.slice(first).find(({ value }) => value === to);
      return last && { begun: observations[first]?.at ?? Number.NaN, ended: last.at };
    };
    await until(`the observer sees ${from} and then ${to} ${words}`, 30_000, async () => find() !== undefined);
    const { begun, ended } = find() ?? { begun: Number.NaN, ended: Number.NaN };
    observations = [];
    return ended - begun;
  };
  return { between, [Symbol.asyncDispose]: spawned.end };
}
