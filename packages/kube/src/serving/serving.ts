// The servers of the operator: probes for the kubelet, metrics for Prometheus, and others behind the same guard.

import type { Registry } from "prom-client";
import { type Certificate, mountedCertificate, selfSigned } from "../access/certificate.ts";
import type { Clock } from "../clock.ts";
import { answerer, type ServingObserver } from "../wire/answering.ts";
import type { AccessGuard } from "./access-guard.ts";
import { type Endpoint, parseBindAddress } from "./bind-address.ts";
import { listen, type ServerLimits, type ServerParts, usualServerLimits } from "./http-server.ts";
import { type Checks, probe } from "./probes.ts";
import type { Routes } from "./routes.ts";

/** `refused` says in one line why there is no server. */
export type Serving =
  | { readonly kind: "serving"; readonly port: number; readonly close: () => Promise<void> }
  | { readonly kind: "off" }
  | { readonly kind: "refused"; readonly problem: string };

type Common = {
  /** As in the flags: `:8081`, `127.0.0.1:8083`, `0` for none. */
  readonly address: string;
  readonly observer: ServingObserver;
  readonly limits?: Partial<ServerLimits>;
};

/** `/healthz` and `/readyz` over plain HTTP; `?verbose` names the checks that are well, too. */
export function serveProbes({
  healthz,
  readyz,
  ...common
}: Common & { readonly healthz: Checks; readonly readyz: Checks }): Promise<Serving> {
  const routes: Routes = {
    "/healthz": ({ query }) => probe(healthz, query.has("verbose")),
    "/readyz": ({ query }) => probe(readyz, query.has("verbose")),
  };
  return serve(common, { routes });
}

export type Guarded = Common & {
  readonly guard: AccessGuard;
  readonly clock: Clock;
  /** The folder of `tls.crt` and `tls.key`; absent: a self-signed certificate. */
  readonly certificateFolder?: string;
};

/** HTTPS only, and only for who may `get` the path, as the cluster's RBAC says. Paths that are no routes are 404 for all. */
export function serveGuarded({
  guard,
  clock,
  certificateFolder,
  routes,
  ...common
}: Guarded & { readonly routes: Routes }): Promise<Serving> {
  if (parseBindAddress(common.address).kind === "off") return Promise.resolve({ kind: "off" }); // needs no certificate
  const { told } = common.observer;
  const certificate =
    certificateFolder === undefined
      ? selfSigned(clock.wall())
      : mountedCertificate(
          certificateFolder,
          { renewed: () => told(`the certificate in ${certificateFolder} was renewed`), unusable: told },
          clock.wall(),
        );
  if (typeof certificate === "string") return Promise.resolve({ kind: "refused", problem: certificate });
  return serve(common, { routes, certificate, guard });
}

/** `/metrics`, guarded; or, if it is not to be secure, over plain HTTP for everybody who gets through. */
export function serveMetrics({
  registry,
  isSecure,
  ...guarded
}: Guarded & { readonly registry: Registry; readonly isSecure: boolean }): Promise<Serving> {
  const routes: Routes = {
    "/metrics": async () => ({ status: 200, body: await registry.metrics(), type: registry.contentType }),
  };
  return isSecure ? serveGuarded({ ...guarded, routes }) : serve(guarded, { routes });
}

type Served = { readonly routes: Routes; readonly certificate?: Certificate; readonly guard?: AccessGuard };

async function serve({ address, observer, limits }: Common, { certificate, ...served }: Served): Promise<Serving> {
  const bind = parseBindAddress(address);
  if (bind.kind === "off") return bind;
  if (bind.kind === "bad") return { kind: "refused", problem: bind.problem };
  const parts: ServerParts = {
    answer: answerer({ ...served, observer }),
    limits: { ...usualServerLimits, ...limits },
    ...(certificate && { certificate }),
  };
  return open(bind.endpoint, parts);
}

async function open(endpoint: Endpoint, parts: ServerParts): Promise<Serving> {
  const listening = await listen(endpoint, parts);
  return typeof listening === "string" ? { kind: "refused", problem: listening } : { kind: "serving", ...listening };
}
