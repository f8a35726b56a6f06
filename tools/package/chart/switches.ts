import type { KubeObject } from "@virt/objects";
import { identity, type Manifests } from "../manifests.ts";

export type Area = "advisor" | "platform" | "shared" | "console" | "example-profile";

export function areaOf(object: KubeObject, { advisor, platform }: Pick<Manifests, "advisor" | "platform">): Area {
  const isIn = (objects: readonly KubeObject[]) => objects.some((other) => identity(other) === identity(object));
  if (isIn(advisor) && isIn(platform)) return "shared";
  if (isIn(advisor)) return "advisor";
  if (isIn(platform)) return "platform";
  throw new Error(`${identity(object)} is in config/default, but in neither config/advisor nor config/platform`);
}

const areas: Readonly<Record<Area, string>> = {
  advisor: ".Values.advisor.enabled",
  platform: ".Values.platform.enabled",
  shared: "(or .Values.advisor.enabled .Values.platform.enabled)",
  "example-profile": "(and .Values.advisor.enabled .Values.advisor.exampleProfile)",
  console: '(eq (include "virt-operators.hasConsole" .) "true")',
};

const kinds: Readonly<Record<string, string>> = {
  CustomResourceDefinition: ".Values.crds.install",
  Namespace: ".Values.namespaces.create",
  NetworkPolicy: ".Values.networkPolicy.enabled",
  Service: ".Values.metrics.enabled",
  ValidatingAdmissionPolicy: ".Values.admission.enabled",
  ValidatingAdmissionPolicyBinding: ".Values.admission.enabled",
};

/** One switch controls all objects that need the Prometheus operator. */
export function condition({ kind }: KubeObject, area: Area, isMonitoring: boolean): string {
  const more = isMonitoring
    ? [".Values.metrics.enabled", ".Values.serviceMonitor.enabled"]
    : area === "console" && kind === "Service"
      ? [] // serves the console, not metrics
      : [kinds[kind] ?? []].flat();
  return more.length === 0 ? areas[area] : `and ${[areas[area], ...more].join(" ")}`;
}
