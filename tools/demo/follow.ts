// Prints the changes of the cluster with the elapsed time and, at each stage, the command to type next.

import { setTimeout as wait } from "node:timers/promises";
import { configKind, type VirtPlatformConfig } from "@virt/api";
import { Client, findAccess, type InformerSpec, Manager, systemClock } from "@virt/kube";
import type { KubeObject } from "@virt/objects";
import { type Change, configChangeLines, nodeChangeLines } from "./change-lines.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { platformEvent } from "./platform-event.ts";
import type { DemoStage } from "./stages.ts";
import type { Suggestion } from "./suggestion.ts";

export type Say = (line?: string) => void;

const all = { keep: "all" } as const;
const configs: InformerSpec = { apiVersion: configKind.apiVersion, kind: configKind.kind, projection: all };
const nodes: InformerSpec = { apiVersion: "v1", kind: "Node", projection: all };
const events: InformerSpec = { apiVersion: "events.k8s.io/v1", kind: "Event", projection: all };

export function followEvents(kubeconfig: string, say: Say): { readonly stop: () => Promise<void> } {
  const nothing = () => undefined;
  const host = new Manager({
    client: new Client({ access: findAccess({ env: {}, kubeconfig }), userAgent: "virt-demo" }),
    clock: systemClock,
    random: Math.random,
    groups: [],
    observer: { opened: nothing, closed: nothing, stateChanged: nothing, warned: nothing, handlerFailed: nothing },
  });
  host.setInformers([configs, nodes, events]);
  const began = performance.now();
  const print = (line: string) => say(`${clock(performance.now() - began)}  ${line}`);
  host.informers.find(nodes)?.store.subscribe((change) => nodeChangeLines(change).forEach(print));
  host.informers.find(configs)?.store.subscribe((change) => configChangeLines(asConfigs(change)).forEach(print));
  host.informers.find(events)?.store.subscribe(({ before, after }) => {
    const event = before === undefined ? platformEvent(after) : undefined;
    if (event !== undefined) print(event.note);
  });
  return { stop: () => host.stop(AbortSignal.abort()) };
}

function asConfigs({ before, after }: Change<KubeObject>): Change<VirtPlatformConfig> {
  return {
    ...(before && { before: before as unknown as VirtPlatformConfig }),
    ...(after && { after: after as unknown as VirtPlatformConfig }),
  };
}

/** A stage ends when the cluster reaches its state, regardless of how the user got there. */
export async function followStages(
  stages: readonly DemoStage[],
  cluster: ClusterReader,
  { say, signal }: { readonly say: Say; readonly signal: AbortSignal },
): Promise<void> {
  for (const [index, { suggest, isOver }] of stages.entries()) {
    if (index > 0) printSuggestions(await suggest(cluster), say);
    while (!(await isOver(cluster))) {
      if (signal.aborted) return;
      await wait(300);
    }
  }
  say(
    "That was the last stage. Continue to explore, or press Ctrl-C to stop. To list other scenarios, run: make demo SCENARIO=help",
  );
}

export function printSuggestions(suggestions: readonly Suggestion[], say: Say): void {
  for (const [index, { command, about }] of suggestions.entries()) {
    say(`${index === 0 ? "Next:" : "     "}  # ${about}`);
    say(`       ${command}`);
  }
  say();
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`.padStart(6);
}
