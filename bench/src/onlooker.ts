// A separate process that saw an object take its values, by its own clock.

import { createInterface } from "node:readline";
import type { Server } from "@virt/testkit";
import { spawnNode } from "./child.ts";
import { programPath } from "./programs.ts";
import { until } from "./wait.ts";

export type Sight = { readonly at: number; readonly value: unknown };

export type Onlooker = {
  /** Waits until the last value is this one; gives all that was seen since it was last asked. */
  readonly seen: (value: string) => Promise<readonly Sight[]>;
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
  const seen = async (value: string) => {
    await until(`the onlooker sees ${value} ${words}`, 30_000, async () => sights.at(-1)?.value === value);
    const all = sights;
    sights = [];
    return all;
  };
  return { seen, [Symbol.asyncDispose]: spawned.end };
}
