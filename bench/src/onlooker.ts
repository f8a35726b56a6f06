// A separate process that saw an object take its values, by its own clock.

import { createInterface } from "node:readline";
import type { Server } from "@virt/testkit";
import { spawnNode } from "./child.ts";
import { programPath } from "./programs.ts";
import { until } from "./wait.ts";

type Sight = { readonly at: number; readonly value: unknown };

export type Onlooker = {
  /** Waits until it has seen the one value and then the other; gives the milliseconds between them. */
  readonly between: (from: string, to: string) => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Subject = { readonly path: string; readonly field: string };

/** `field`: a member of its spec. */
export function lookOn(api: Server, { path, field }: Subject): Onlooker {
  const [list, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
  const { kubeconfig } = api.user("onlooker", ["system:masters"]);
  const spawned = spawnNode(programPath("onlooker"), [], {
    KUBECONFIG: kubeconfig,
    LIST: list,
    NAME: name,
    FIELD: field,
  });
  const { stdout, stderr } = spawned.process;
  if (stdout === null || stderr === null) throw new Error("the onlooker has no pipes");
  let sights: Sight[] = [];
  let words = "";
  createInterface(stdout).on("line", (line) => sights.push(JSON.parse(line) as Sight));
  stderr.on("data", (more: Buffer) => {
    words += more.toString();
  });
  const between = async (from: string, to: string) => {
    const find = () => {
      const first = sights.findIndex(({ value }) => value === from);
      const last = first < 0 ? undefined : sights.slice(first).find(({ value }) => value === to);
      return last && { begun: sights[first]?.at ?? Number.NaN, ended: last.at };
    };
    await until(`the onlooker sees ${from} and then ${to} ${words}`, 30_000, async () => find() !== undefined);
    const { begun, ended } = find() ?? { begun: Number.NaN, ended: Number.NaN };
    sights = [];
    return ended - begun;
  };
  return { between, [Symbol.asyncDispose]: spawned.end };
}
