// Runs the operator until it is told to stop: connects, serves, leads, watches, works, and ends in good order.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  AccessGuard,
  Client,
  type Controller,
  findAccess,
  Host,
  type Serving,
  serveMetrics,
  serveProbes,
  systemClock,
  type Tenant,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import { leasePlace, processIdentity, userAgent } from "./identity.ts";
import type { Settings } from "./settings.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";
import { version } from "./version.ts";

/** What a controller brings to the process. */
export type Housed = { readonly name: ControllerName; readonly controller: Controller };

const oldestPassMs = 600_000;
const oldestWatchMs = 600_000;

/** Throws an AccessError when nothing can be done without a person. Settles when the signal is aborted and all has ended. */
export async function run(settings: Settings, housed: readonly Housed[], stop: AbortSignal): Promise<void> {
  const access = findAccess({ env: process.env, ...(settings.kubeconfig && { kubeconfig: settings.kubeconfig }) });
  const telemetry = createTelemetry(settings, process.stdout.isTTY && !process.env["NO_COLOR"]);
  const { log } = telemetry;
  const identity = processIdentity(hostname(), randomUUID());
  log.info("starting", { version, controllers: settings.controllers, cluster: access.server, access: access.source });
  if (settings.ignored.length > 0) log.warn("flags without effect here", { flags: settings.ignored });
  const client = new Client({ access, userAgent: userAgent(version, settings.controllers, identity) });
  const tenants = housed.map(({ name, controller }): Tenant => {
    const lease = { ...leasePlace(name, process.env["POD_NAMESPACE"], access.namespace), identity };
    return { controller, observer: telemetry.tenant(name), ...(settings.leaderElect && { lease }) };
  });
  const host = new Host({ client, clock: systemClock, random: Math.random, tenants, observer: telemetry.host });
  telemetry.watch(() => host.watches.all);
  host.want([]);
  const servers = await serve(settings, telemetry, { host, client });
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

type Parts = { readonly host: Host; readonly client: Client };

async function serve(
  { probeAddress, metrics }: Settings,
  { log, registry }: Telemetry,
  { host, client }: Parts,
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
