// Runs the operator until it is told to stop: connects, serves, leads, watches, works, and ends in good order.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  AccessGuard,
  Client,
  clusterFor,
  EventRecorder,
  findAccess,
  Host,
  observed,
  type Routes,
  type Sender,
  type Serving,
  serveGuarded,
  serveMetrics,
  serveProbes,
  systemClock,
  type Tenant,
  type Voice,
} from "@virt/kube";
import type { Housed, Resident } from "./housing.ts";
import { leasePlace, processIdentity, userAgent } from "./identity.ts";
import type { Settings } from "./settings.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";
import { version } from "./version.ts";

const oldestPassMs = 600_000;
const oldestWatchMs = 600_000;

/** Throws an AccessError when nothing can be done without a person. Settles when the signal is aborted and all has ended. */
export async function run(settings: Settings, residents: readonly Resident[], stop: AbortSignal): Promise<void> {
  const access = findAccess({ env: process.env, ...(settings.kubeconfig && { kubeconfig: settings.kubeconfig }) });
  const telemetry = createTelemetry(settings, process.stdout.isTTY && !process.env["NO_COLOR"]);
  const { log } = telemetry;
  const identity = processIdentity(hostname(), randomUUID());
  log.info("starting", { version, controllers: settings.controllers, cluster: access.server, access: access.source });
  if (settings.ignored.length > 0) log.warn("flags without effect here", { flags: settings.ignored });
  const raw = new Client({ access, userAgent: userAgent(version, settings.controllers, identity) });
  const client = { ...observed(raw, telemetry.requested), close: () => raw.close() };
  const placeOf = (name: Resident["name"]) => leasePlace(name, process.env["POD_NAMESPACE"], access.namespace);
  const { host, refresh, pages } = house(residents, { settings, telemetry, client, identity, placeOf });
  telemetry.watch(() => host.watches.all);
  telemetry.queues(() => Object.fromEntries(residents.map(({ name }, at) => [name, host.queueStates[at]])));
  refresh();
  const servers = await serve(settings, telemetry, { host, client, pages });
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  log.info("stopping");
  await host.stop(new AbortController().signal);
  for (const server of servers) if (server.kind === "serving") await server.close();
  telemetry.close();
  log.info("stopped");
}

type Houses = {
  readonly settings: Settings;
  readonly telemetry: Telemetry;
  readonly client: Sender & { readonly close: () => void };
  readonly identity: string;
  readonly placeOf: (name: Resident["name"]) => { readonly name: string; readonly namespace: string };
};

type Home = { readonly host: Host; readonly refresh: () => void; readonly pages: Routes };

/** Controllers and host know each other: the host runs their passes, they look into its caches. */
function house(residents: readonly Resident[], houses: Houses): Home {
  const { settings, telemetry, client, identity, placeOf } = houses;
  const moved: Housed[] = [];
  let isRefreshing = false;
  // Many things change at once: the streams are set once for all of them.
  const refresh = () => {
    if (isRefreshing) return;
    isRefreshing = true;
    queueMicrotask(() => {
      isRefreshing = false;
      host.want(moved.flatMap(({ wants }) => wants()));
    });
  };
  const tenants = residents.map((resident, place): Tenant => {
    const { name } = resident;
    const voice = speaking(resident, identity, telemetry);
    const housed = resident.move({
      settings,
      version,
      namespace: placeOf(name).namespace,
      find: (spec) => host.watches.find(spec),
      discovery: {
        find: (of, signal, sender) => host.discovery.find(of, signal, sender),
        forgetVersion: (apiVersion) => host.discovery.forgetVersion(apiVersion),
      },
      reader: (signal) => clusterFor({ client, discovery: host.discovery, mayWrite: () => false }, signal),
      refresh,
      look: (key) => host.look(place, key),
      environment: process.env,
      announce: voice.announce,
      registry: telemetry.registry,
      clock: systemClock,
      log: telemetry.log.child({ controller: name }),
    });
    moved.push(housed);
    const lease = { ...placeOf(name), identity };
    const { controller } = housed;
    const observer = telemetry.tenant(name);
    return { controller, observer, begin: voice.begin, ...(settings.leaderElect && { lease }) };
  });
  const host = new Host({ client, clock: systemClock, random: Math.random, tenants, observer: telemetry.host });
  return { host, refresh, pages: Object.assign({}, ...moved.map(({ pages }) => pages)) as Routes };
}

/** Events go out under the lease of their controller; before it exists nobody has anything to say. */
function speaking({ name, fieldManager, eventRepeatMs }: Resident, instance: string, telemetry: Telemetry) {
  let recorder: EventRecorder | undefined;
  return {
    announce: (announcement: Parameters<EventRecorder["announce"]>[0]) => recorder?.announce(announcement),
    begin: (voice: Voice) => {
      const reporter = { controller: fieldManager, instance, namePrefix: `${fieldManager}.` };
      const observer = telemetry.events(name);
      recorder = new EventRecorder({ ...voice, clock: systemClock, reporter, observer, repeatMs: eventRepeatMs });
      return recorder;
    },
  };
}

type Parts = { readonly host: Host; readonly client: Sender; readonly pages: Routes };

async function serve(
  { probeAddress, metrics, debugAddress }: Settings,
  { log, registry }: Telemetry,
  { host, client, pages }: Parts,
): Promise<readonly Serving[]> {
  const observer = {
    told: (message: string) => log.warn(message),
    failed: (path: string, error: unknown) => log.error("a page failed", { path, error }),
  };
  const guard = new AccessGuard({ sender: client, clock: systemClock });
  const folder = metrics.certificates ? { certificateFolder: metrics.certificates } : {};
  const all = [
    await serveProbes({
      address: probeAddress,
      observer,
      healthz: {
        passes: () =>
          host.oldestPassMs > oldestPassMs ? `a pass runs for ${Math.round(host.oldestPassMs / 1000)} s` : undefined,
      },
      readyz: {
        lists: () => (host.isSynced ? undefined : "the first lists are not complete"),
        watches: () => oldWatch(host),
      },
    }),
    await serveMetrics({
      address: metrics.address,
      observer,
      guard,
      clock: systemClock,
      registry,
      isSecure: metrics.isSecure,
      ...folder,
    }),
    await serveGuarded({ address: debugAddress, observer, guard, clock: systemClock, routes: pages, ...folder }),
  ];
  for (const one of all) if (one.kind === "refused") log.error(one.problem);
  if (all.some(({ kind }) => kind === "refused"))
    throw new Error(all.flatMap((one) => (one.kind === "refused" ? [one.problem] : [])).join("; "));
  return all;
}

function oldWatch(host: Host): string | undefined {
  const old = host.watches.all.find(({ ages, state }) => state === "synced" && youngest(ages) > oldestWatchMs);
  return old && `the watch of ${old.spec.kind} is ${Math.round(youngest(old.ages) / 1000)} s old`;
}

function youngest(ages: { readonly line?: number; readonly list?: number; readonly probe?: number }): number {
  return Math.min(...Object.values(ages), Number.POSITIVE_INFINITY);
}
