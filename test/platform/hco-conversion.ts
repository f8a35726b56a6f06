// The HyperConverged CRD with both versions, and its conversion webhook.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { JsonMap } from "@virt/api";
import { issueAuthority, issueServer } from "@virt/kube";
import type { Crd } from "@virt/testkit";
import { load } from "js-yaml";
import { mockCrd } from "../support/test-cluster.ts";

export type Conversion = {
  readonly both: Crd;
  readonly old: Crd;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Spec = { readonly [name: string]: JsonMap | undefined } & { readonly featureGates?: unknown };
type Converted = JsonMap & { readonly apiVersion: string; readonly spec?: Spec };
type Review = {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Converted[];
  };
};

export async function startConversion(): Promise<Conversion> {
  const now = Date.now();
  const validity = { from: new Date(now - 3_600_000), until: new Date(now + 86_400_000) };
  const authority = issueAuthority("conversion", validity);
  const { certificate: cert, key } = issueServer(authority, ["127.0.0.1"], validity);
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    void json(incoming).then((review) => outgoing.end(JSON.stringify(answerTo(review as Review))));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const clientConfig = {
    url: `https://127.0.0.1:${port}/`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
  };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const [old, fresh] = ["v1beta1", "v1"].map(
    (version) => load(readFileSync(mockCrd(`hyperconvergeds-${version}`), "utf8")) as Crd,
  );
  if (old === undefined || fresh === undefined) throw new Error("there are no mocks of the HyperConverged");
  const versions = [...fresh.spec.versions, ...old.spec.versions.map((version) => ({ ...version, storage: false }))];
  return {
    old,
    both: { ...fresh, spec: { ...fresh.spec, versions, conversion } } as Crd,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo({ request: { uid, desiredAPIVersion, objects } }: Review): JsonMap {
  const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
  const response = { uid, convertedObjects, result: { status: "Success" } };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response };
}

function converted({ spec = {}, ...object }: Converted, apiVersion: string): JsonMap {
  if (object.apiVersion === apiVersion) return { ...object, spec };
  return { ...object, apiVersion, spec: bare(apiVersion.endsWith("/v1") ? toNew(spec) : toOld(spec)) };
}

const virtual = [
  "liveMigrationConfig",
  "ksmConfiguration",
  "permittedHostDevices",
  "workloadUpdateStrategy",
  "evictionStrategy",
  "higherWorkloadDensity",
];

function toNew(spec: Spec): JsonMap {
  const { enableApplicationAwareQuota: enable, applicationAwareConfig, uninstallStrategy, certConfig } = spec;
  const gates = Object.entries((spec.featureGates ?? {}) as JsonMap);
  return {
    virtualization: bare(Object.fromEntries(virtual.map((name) => [name, spec[name]]))),
    deployment: bare({ uninstallStrategy, applicationAwareConfig: bare({ ...applicationAwareConfig, enable }) }),
    security: bare({ certConfig }),
    featureGates: gates.map(([name, isOn]) => ({ name, state: isOn === true ? "Enabled" : "Disabled" })),
  };
}

function toOld(spec: Spec): JsonMap {
  const { virtualization: all = {}, deployment = {}, security = {} } = spec;
  // Drops fields that v1beta1 lacks, because unknown fields would cost the object its managedFields.
  const { allowWorkloadDisruption: _, ...liveMigrationConfig } = (all["liveMigrationConfig"] ?? {}) as JsonMap;
  const virtualization: JsonMap = { ...all, liveMigrationConfig };
  const { enable, ...applicationAwareConfig } = (deployment["applicationAwareConfig"] ?? {}) as JsonMap;
  const gates = (spec.featureGates ?? []) as readonly { readonly name: string; readonly state?: string }[];
  return {
    ...Object.fromEntries(virtual.map((name) => [name, virtualization[name]])),
    enableApplicationAwareQuota: enable,
    applicationAwareConfig: bare(applicationAwareConfig),
    uninstallStrategy: deployment["uninstallStrategy"],
    certConfig: security["certConfig"],
    featureGates: Object.fromEntries(gates.map(({ name, state }) => [name, state !== "Disabled"])),
  };
}

function bare(map: { readonly [name: string]: unknown }): JsonMap {
  const isThere = (value: unknown) =>
    value !== undefined && JSON.stringify(value) !== "{}" && JSON.stringify(value) !== "[]";
  return Object.fromEntries(Object.entries(map).filter(([, value]) => isThere(value))) as JsonMap;
}
