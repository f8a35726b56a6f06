// Exposes the operator's metrics, with a certificate issued by OpenShift.

import { contentForms } from "@virt/api";
import { defineAsset } from "@virt/platform";
import { metricsLabels, metricsName, ownMonitoring } from "../own-monitoring.ts";

const annotations = { "service.beta.openshift.io/serving-cert-secret-name": `${metricsName}-tls` };
const spec = {
  selector: { "app.kubernetes.io/name": "virt-platform-operator", "control-plane": "controller-manager" },
  // The protocol is set explicitly, because it is part of the list's key in server-side apply.
  ports: [{ name: "metrics", port: 8443, protocol: "TCP", targetPort: "metrics" }],
};

const { constantFields, fields } = contentForms;

export default defineAsset({
  ...ownMonitoring,
  name: "metrics-service",
  target: { apiVersion: "v1", kind: "Service", name: metricsName, namespace: "$operator" },
  forms: [{ apiVersion: "v1", labels: metricsLabels, annotations, spec: fields(constantFields(spec, "required")) }],
  values: {
    "metadata.labels": {
      reason: "The ServiceMonitor selects the Service by its labels.",
      source: "operator default",
    },
    "metadata.annotations": {
      reason: "OpenShift stores the certificate of the metrics endpoint in this Secret.",
      source: "OpenShift service CA",
    },
    "spec.selector": {
      reason: "Selects the pods of the platform controller.",
      source: "config/manager/platform",
    },
    "spec.ports": {
      reason:
        "The port of the metrics endpoint. The protocol is set because server-side apply identifies a port by number and protocol.",
      source: "config/manager/pod",
    },
  },
  render: ({ ownNamespace }) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: metricsName, namespace: ownNamespace, labels: metricsLabels, annotations },
    spec,
  }),
});
