// The parts of OpenShift's monitoring that the descheduler operator needs. A CRD replaces OpenShift's aggregated Route
// API.

import type { Crd, Server } from "@virt/testkit";
import { expect } from "vitest";

const monitoring = "openshift-monitoring";
export const deschedulerNamespace = "/api/v1/namespaces/openshift-kube-descheduler-operator";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const routeCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "routes.route.openshift.io" },
  spec: {
    group: "route.openshift.io",
    scope: "Namespaced",
    names: { kind: "Route", plural: "routes" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
  },
} as unknown as Crd;

export async function createPrometheusRoute(server: Server): Promise<void> {
  const namespace = { metadata: { name: monitoring } };
  expect((await server.request({ method: "POST", path: "/api/v1/namespaces", body: namespace })).status).toBe(201);
  const body = {
    apiVersion: "route.openshift.io/v1",
    kind: "Route",
    metadata: { name: "prometheus-k8s" },
    status: { ingress: [{ host: "prometheus.example.com" }] },
  };
  const path = `/apis/route.openshift.io/v1/namespaces/${monitoring}/routes`;
  expect((await server.request({ method: "POST", path, body })).status).toBe(201);
}

export const monitoredNamespace = { metadata: { labels: { "openshift.io/cluster-monitoring": "true" } } };
