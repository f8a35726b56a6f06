// Where the operator's metrics are found, with a certificate that OpenShift issues.

import { defineAsset } from "@virt/platform";
import { metricsLabels, metricsName, ownMonitoring } from "../own-monitoring.ts";

export default defineAsset({
  ...ownMonitoring,
  name: "metrics-service",
  target: { apiVersion: "v1", kind: "Service", name: metricsName, namespace: "$operator" },
  render: ({ ownNamespace }) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: metricsName,
      namespace: ownNamespace,
      labels: metricsLabels,
      annotations: { "service.beta.openshift.io/serving-cert-secret-name": `${metricsName}-tls` },
    },
    spec: {
      selector: { "app.kubernetes.io/name": "virt-platform-operator", "control-plane": "controller-manager" },
      // The protocol is a key of the list, so we name it.
      ports: [{ name: "metrics", port: 8443, protocol: "TCP", targetPort: "metrics" }],
    },
  }),
});
