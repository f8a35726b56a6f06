// The servers of the operator: probes, metrics and other routes, guarded or public.

import type { IncomingMessage } from "node:http";
import { type Certificate, createSelfSignedCertificate, watchMountedCertificate } from "../auth/certificate.ts";
import type { Clock } from "../clock.ts";
import type { AccessGuard } from "./access-guard.ts";
import {
  defaultServerLimits,
  type Endpoint,
  type HttpServerOptions,
  listen,
  parseBindAddress,
  probeServerLimits,
  type ServerLimits,
} from "./http-server.ts";
import { createAnswerer, type RouteReply, type Routes, type ServingObserver } from "./routes.ts";

/** A started server, `off` if its address is `0`, or the reason why it cannot listen. */
export type Serving =
  | { readonly kind: "serving"; readonly port: number; readonly close: () => Promise<void> }
  | { readonly kind: "off" }
  | { readonly kind: "refused"; readonly problem: string };

type ServerOptions = {
  /** The address as in the flags: `:8081`, `127.0.0.1:8083`, or `0` for no server. */
  readonly address: string;
  readonly observer: ServingObserver;
  readonly limits?: Partial<ServerLimits>;
};

/** Serves `/healthz` and `/readyz` over plain HTTP. `?verbose` also lists passing checks. */
export function serveProbes({
  healthz,
  readyz,
  ...common
}: ServerOptions & { readonly healthz: ProbeChecks; readonly readyz: ProbeChecks }): Promise<Serving> {
  const routes: Routes = {
    "/healthz": ({ query }) => probe(healthz, query.has("verbose")),
    "/readyz": ({ query }) => probe(readyz, query.has("verbose")),
  };
  return serve({ ...common, limits: { ...probeServerLimits, ...common.limits } }, { routes });
}

export type GuardedServerOptions = ServerOptions & {
  readonly guard: AccessGuard;
  readonly clock: Clock;
  /** Absent: a self-signed certificate. */
  readonly certificateFolder?: string;
};

/** Serves routes over HTTPS to users who may `get` the path by RBAC. Unknown paths return 404 to everyone. */
export function serveGuarded({
  guard,
  clock,
  certificateFolder,
  routes,
  ...common
}: GuardedServerOptions & { readonly routes: Routes }): Promise<Serving> {
  if (parseBindAddress(common.address).kind === "off") return Promise.resolve({ kind: "off" });
  const certificate =
    certificateFolder === undefined
      ? createSelfSignedCertificate(clock.wall())
      : mountedCertificate(certificateFolder, common.observer, clock);
  if (typeof certificate === "string") return Promise.resolve({ kind: "refused", problem: certificate });
  return serve(common, { routes, certificate, guard });
}

/** The text that `/metrics` serves. A Registry is one. */
export type MetricsSource = { readonly metrics: () => Promise<string>; readonly contentType: string };

/** Serves `/metrics` over HTTPS with the guard. Without `isSecure`, serves plain HTTP without authorization. */
export function serveMetrics({
  source,
  isSecure,
  ...guarded
}: GuardedServerOptions & { readonly source: MetricsSource; readonly isSecure: boolean }): Promise<Serving> {
  const routes: Routes = {
    "/metrics": async () => ({ status: 200, body: await source.metrics(), type: source.contentType }),
  };
  return isSecure ? serveGuarded({ ...guarded, routes }) : serve(guarded, { routes });
}

export type PublicServerOptions = ServerOptions & {
  readonly clock: Clock;
  readonly certificateFolder: string;
  readonly answer: (request: IncomingMessage) => RouteReply;
};

/** Serves HTTPS without authorization. Use only for public content. */
export async function servePublic({
  clock,
  certificateFolder,
  answer,
  ...common
}: PublicServerOptions): Promise<Serving> {
  const bind = parseBindAddress(common.address);
  if (bind.kind === "off") return bind;
  if (bind.kind === "bad") return { kind: "refused", problem: bind.problem };
  const certificate = mountedCertificate(certificateFolder, common.observer, clock);
  if (typeof certificate === "string") return { kind: "refused", problem: certificate };
  const limits = { ...defaultServerLimits, ...common.limits };
  return open(bind.endpoint, { answer: (request) => Promise.resolve(answer(request)), certificate, limits });
}

function mountedCertificate(folder: string, { warned }: ServingObserver, clock: Clock): Certificate | string {
  const renewed = () => warned(`the certificate in ${folder} was renewed`);
  return watchMountedCertificate(folder, { renewed, unusable: warned }, clock.wall());
}

type Served = { readonly routes: Routes; readonly certificate?: Certificate; readonly guard?: AccessGuard };

async function serve(
  { address, observer, limits }: ServerOptions,
  { certificate, ...served }: Served,
): Promise<Serving> {
  const bind = parseBindAddress(address);
  if (bind.kind === "off") return bind;
  if (bind.kind === "bad") return { kind: "refused", problem: bind.problem };
  const parts: HttpServerOptions = {
    answer: createAnswerer({ ...served, observer }),
    limits: { ...defaultServerLimits, ...limits },
    ...(certificate && { certificate }),
  };
  return open(bind.endpoint, parts);
}

async function open(endpoint: Endpoint, parts: HttpServerOptions): Promise<Serving> {
  const listening = await listen(endpoint, parts);
  return typeof listening === "string" ? { kind: "refused", problem: listening } : { kind: "serving", ...listening };
}

/** Returns a one-line problem, or undefined if the check passes. */
export type ProbeCheck = () => string | undefined;

export type ProbeChecks = Readonly<Record<string, ProbeCheck>>;

/** Lists failed checks, and passing ones if `isVerbose`. */
export function probe(checks: ProbeChecks, isVerbose: boolean): RouteReply {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: problemOf(check) }));
  const lines = results.flatMap(({ name, problem }) => {
    if (problem === undefined) return isVerbose ? [`[+]${name} ok`] : [];
    return [`[-]${name} failed: ${problem.replaceAll(/\s+/g, " ").trim()}`];
  });
  const isWell = results.every(({ problem }) => problem === undefined);
  const body = isWell ? [...lines, "ok"] : lines;
  return { status: isWell ? 200 : 500, body: `${body.join("\n")}\n` };
}

function problemOf(check: ProbeCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
