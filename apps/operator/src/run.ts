// Runs the operator until it is stopped: connects, acquires leases, runs the controllers and shuts down cleanly.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { priorityOfEvent } from "@virt/api";
import {
  AccessGuard,
  Client,
  type ControllerGroup,
  EventRecorder,
  type EventSink,
  findAccess,
  Manager,
  noLease,
  type Routes,
  readerFor,
  type Serving,
  serveGuarded,
  serveMetrics,
  serveProbes,
  systemClock,
} from "@virt/kube";
import type { ControllerContext, ControllerFactory, ControllerInstance } from "./controller-factory.ts";
import { leasePlace, processIdentity, userAgent, version } from "./identity.ts";
import { addLegacyNames } from "./platform/legacy-metric-names.ts";
import type { Settings } from "./settings.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";

const oldestPassMs = 600_000;
const oldestWatchMs = 600_000;
/** How long 401 responses may last. Must be longer than a token rotation, which also causes them. */
const unauthorizedMs = 30_000;

/** Runs until the signal is aborted and everything has stopped. Throws an AccessError for errors that the user must fix. */
export async function run(
  settings: Settings,
  factories: readonly ControllerFactory[],
  stop: AbortSignal,
): Promise<void> {
  const access = findAccess({ env: process.env, ...(settings.kubeconfig && { kubeconfig: settings.kubeconfig }) });
  const telemetry = createTelemetry(settings, process.stdout.isTTY && !process.env["NO_COLOR"]);
  const { log } = telemetry;
  const identity = processIdentity(hostname(), randomUUID());
  log.info("starting", { version, controllers: settings.controllers, cluster: access.server, access: access.source });
  if (settings.ignored.length > 0)
    log.warn("flags accepted for compatibility have no effect", { flags: settings.ignored });
  if (settings.unknownVariables.length > 0)
    log.warn("unknown environment variables have no effect: remove them, or see docs/settings.md for the names", {
      variables: settings.unknownVariables,
    });
  const client = new Client({
    access,
    userAgent: userAgent(version, settings.controllers, identity),
    observer: telemetry.requested,
  });
  const placeOf = (name: ControllerFactory["name"]) => leasePlace(name, process.env["POD_NAMESPACE"], access.namespace);
  const { manager, refresh, pages } = startManager(factories, { settings, telemetry, client, identity, placeOf });
  telemetry.watch(() => manager.informers.all);
  telemetry.queues(() => manager.queueStates);
  refresh();
  const servers = await serve(settings, telemetry, { manager, client, pages });
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  log.info("stopping");
  await manager.stop(new AbortController().signal);
  for (const server of servers) if (server.kind === "serving") await server.close();
  telemetry.close();
  log.info("stopped");
}

type ManagerContext = {
  readonly settings: Settings;
  readonly telemetry: Telemetry;
  readonly client: Client;
  readonly identity: string;
  readonly placeOf: (name: ControllerFactory["name"]) => { readonly name: string; readonly namespace: string };
};

type RunningManager = { readonly manager: Manager; readonly refresh: () => void; readonly pages: Routes };

function startManager(factories: readonly ControllerFactory[], context: ManagerContext): RunningManager {
  const { settings, telemetry, client, identity, placeOf } = context;
  const instances: ControllerInstance[] = [];
  let isRefreshing = false;
  const refresh = () => {
    if (isRefreshing) return;
    isRefreshing = true;
    queueMicrotask(() => {
      isRefreshing = false;
      manager.setInformers(instances.flatMap(({ informers }) => informers()));
    });
  };
  const groups = factories.map((factory): ControllerGroup => {
    const { name } = factory;
    const recorder = createEventRecorder(factory, identity, telemetry);
    const instance = factory.create({
      settings,
      version,
      namespace: placeOf(name).namespace,
      find: (spec) => manager.informers.find(spec),
      discovery: {
        find: (of, signal, sender) => manager.discovery.find(of, signal, sender),
        forgetVersion: (apiVersion) => manager.discovery.forgetVersion(apiVersion),
      },
      reader: (signal) => readerFor({ client, discovery: manager.discovery }, signal),
      refresh,
      enqueue: (controller, key) => manager.enqueue(controller, key),
      environment: process.env,
      recordEvent: recorder.announce,
      registry: telemetry.registry,
      clock: systemClock,
      log: telemetry.log.child({ controller: name }),
    });
    instances.push(instance);
    const lease = { ...placeOf(name), identity };
    const { controllers } = instance;
    const observer = telemetry.controller(name);
    return { name, controllers, observer, startEvents: recorder.begin, ...(settings.leaderElect && { lease }) };
  });
  const manager = new Manager({
    client,
    clock: systemClock,
    random: Math.random,
    groups,
    observer: telemetry.manager,
  });
  return { manager, refresh, pages: Object.assign({}, ...instances.map(({ pages }) => pages)) as Routes };
}

/**
 * Creates the event recorder, which writes only while the controller holds its lease. Drops events that were recorded
 * before `begin`.
 */
function createEventRecorder(
  { name, fieldManager, eventRepeatMs }: ControllerFactory,
  instance: string,
  telemetry: Telemetry,
) {
  let recorder: EventRecorder | undefined;
  return {
    announce: (event: Parameters<ControllerContext["recordEvent"]>[0]) =>
      recorder?.recordEvent({ ...event, priority: priorityOfEvent(event.reason) }),
    begin: (sink: EventSink) => {
      const reporter = { controller: fieldManager, instance, namePrefix: `${fieldManager}.` };
      const observer = telemetry.events(name);
      recorder = new EventRecorder({ ...sink, clock: systemClock, reporter, observer, repeatMs: eventRepeatMs });
      return recorder;
    },
  };
}

type ServingContext = {
  readonly manager: Manager;
  readonly client: Client;
  readonly pages: Routes;
};

async function serve(
  { probeAddress, metrics, debugAddress }: Settings,
  { log, registry }: Telemetry,
  { manager, client, pages }: ServingContext,
): Promise<readonly Serving[]> {
  const observer = {
    warned: (message: string) => log.warn(message),
    failed: (path: string, error: unknown) => log.error("failed to serve a page", { path, error }),
  };
  const guard = new AccessGuard({ client: client.under(noLease), clock: systemClock });
  const folder = metrics.certificates ? { certificateFolder: metrics.certificates } : {};
  const all = [
    await serveProbes({
      address: probeAddress,
      observer,
      healthz: {
        passes: () =>
          manager.oldestReconcileMs > oldestPassMs
            ? `a reconcile has been running for ${Math.round(manager.oldestReconcileMs / 1000)} s`
            : undefined,
      },
      readyz: {
        lists: () => (manager.isSynced ? undefined : "informer caches not synced"),
        watches: () => oldWatch(manager),
        credentials: () => refusedCredentials(client.unauthorizedForMs),
      },
    }),
    await serveMetrics({
      address: metrics.address,
      observer,
      guard,
      clock: systemClock,
      source: metrics.hasLegacyNames ? addLegacyNames(registry) : registry,
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

function refusedCredentials(forMs: number): string | undefined {
  if (forMs <= unauthorizedMs) return undefined;
  return `the API server has been rejecting the operator's credentials for ${Math.round(forMs / 1000)} s (401 Unauthorized)`;
}

function oldWatch(manager: Manager): string | undefined {
  const old = manager.informers.all.find(({ ages, state }) => state === "synced" && youngest(ages) > oldestWatchMs);
  return old && `no event, bookmark or list of ${old.spec.kind} for ${Math.round(youngest(old.ages) / 1000)} s`;
}

function youngest(ages: { readonly line?: number; readonly list?: number; readonly probe?: number }): number {
  return Math.min(...Object.values(ages), Number.POSITIVE_INFINITY);
}
