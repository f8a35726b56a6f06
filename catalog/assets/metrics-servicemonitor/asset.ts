// Configures Prometheus to scrape the operator's metrics.

import { contentForms, fieldManagers } from "@virt/api";
import { defineAsset } from "@virt/platform";
import { metricsLabels, metricsName, ownMonitoring } from "../own-monitoring.ts";

const target = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "ServiceMonitor",
  name: metricsName,
  namespace: "$operator",
  crd: "servicemonitors.monitoring.coreos.com",
  operator: "Prometheus Operator",
} as const;

const specIn = (namespace: string) => ({
  selector: { matchLabels: metricsLabels },
  endpoints: [
    {
      port: "metrics",
      path: "/metrics",
      scheme: "https",
      interval: "30s",
      honorLabels: true, // keeps the namespace label of each metric
      bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
      tlsConfig: {
        caFile: "/etc/prometheus/configmaps/serving-certs-ca-bundle/service-ca.crt",
        serverName: `${metricsName}.${namespace}.svc`,
      },
    },
  ],
});

const { constantFields, fields } = contentForms;
/** The default namespace. Packages for other namespaces replace it. */
const shippedNamespace = `${fieldManagers.platform}-system`;

export default defineAsset({
  ...ownMonitoring,
  name: "metrics-servicemonitor",
  target,
  forms: [{ apiVersion: target.apiVersion, spec: fields(constantFields(specIn(shippedNamespace), "required")) }],
  values: {
    "spec.selector": {
      reason: "Selects the Service that asset metrics-service creates.",
      source: "operator default",
    },
    port: {
      reason: "The metrics port of the Service.",
      source: "operator default",
    },
    path: {
      reason: "The conventional path for metrics.",
      source: "Prometheus",
    },
    scheme: {
      reason: "Metrics are served only over TLS.",
      source: "flag --metrics-secure",
    },
    interval: {
      reason: "The scrape interval of OpenShift's own operators.",
      source: "OpenShift monitoring",
    },
    honorLabels: {
      reason: "Keeps the namespace label of each metric. Without this, Prometheus renames it.",
      source: "Prometheus",
    },
    bearerTokenFile: {
      reason: "Prometheus authenticates with its own token.",
      source: "OpenShift monitoring",
    },
    tlsConfig: {
      reason: "Prometheus verifies the certificate that OpenShift issued for the Service.",
      source: "OpenShift service CA",
    },
  },
  render: ({ ownNamespace }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: metricsName, namespace: ownNamespace },
    spec: specIn(ownNamespace),
  }),
});
