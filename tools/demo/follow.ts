// Watches the cluster and tells what happens, with the time since the start, until it is told to stop.

import { configKind, type VirtPlatformConfig } from "@virt/api";
import type { KubeObject } from "@virt/engine";
import { Client, findAccess, Host, systemClock, type WatchSpec } from "@virt/kube";
import { type Change, configNews, isNewPhase, nodeNews } from "./news.ts";
import { nextAct, platformNews } from "./platform.ts";
import { nextTries, type Try } from "./tries.ts";

export type Say = (line?: string) => void;

const all = { keep: "all" } as const;
const configs: WatchSpec = { apiVersion: configKind.apiVersion, kind: configKind.kind, projection: all };
const nodes: WatchSpec = { apiVersion: "v1", kind: "Node", projection: all };
const events: WatchSpec = { apiVersion: "events.k8s.io/v1", kind: "Event", projection: all };

export function follow(kubeconfig: string, say: Say): { readonly stop: () => Promise<void> } {
  const nothing = () => undefined;
  const host = new Host({
    client: new Client({ access: findAccess({ env: {}, kubeconfig }), userAgent: "virt-demo" }),
    clock: systemClock,
    random: Math.random,
    tenants: [],
    observer: { opened: nothing, closed: nothing, stateChanged: nothing, told: nothing, handlerFailed: nothing },
  });
  host.want([configs, nodes, events]);
  const began = performance.now();
  const tell = (line: string) => say(`${clock(performance.now() - began)}  ${line}`);
  host.watches.find(nodes)?.store.subscribe((change) => nodeNews(change).forEach(tell));
  host.watches.find(configs)?.store.subscribe((raw) => {
    const change = asConfigs(raw);
    configNews(change).forEach(tell);
    // What there was from the start is explained from the start.
    if (change.after && change.before?.status?.phase && isNewPhase(change)) suggest(nextTries(change.after), say);
  });
  host.watches.find(events)?.store.subscribe(({ before, after }) => {
    const told = before === undefined ? platformNews(after) : undefined;
    if (told === undefined) return;
    tell(told.note);
    suggest(nextAct(told.reason), say);
  });
  return { stop: () => host.stop(AbortSignal.abort()) };
}

function asConfigs({ before, after }: Change<KubeObject>): Change<VirtPlatformConfig> {
  return {
    ...(before && { before: before as unknown as VirtPlatformConfig }),
    ...(after && { after: after as unknown as VirtPlatformConfig }),
  };
}

export function suggest(tries: readonly Try[], say: Say): void {
  if (tries.length === 0) return;
  for (const [index, { command, about }] of tries.entries()) {
    say(`${index === 0 ? "  Next:" : "       "} # ${about}`);
    say(`        ${command}`);
  }
  say();
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`.padStart(6);
}
