// Where the operator's metrics are found, with a certificate that OpenShift issues.

import { contentForms } from "@virt/api";
import { defineAsset } from "@virt/platform";
import { metricsLabels, metricsName, ownMonitoring } from "../own-monitoring.ts";

const annotations = { "service.beta.openshift.io/serving-cert-secret-name": `${metricsName}-tls` };
const spec = {
  selector: { "app.kubernetes.io/name": "virt-platform-operator", "control-plane": "controller-manager" },
  // The protocol is a key of the list, so we name it.
  ports: [{ name: "metrics", port: 8443, protocol: "TCP", targetPort: "metrics" }],
};

const { constantFields, fields } = contentForms;

export default defineAsset({
  ...ownMonitoring,
  name: "metrics-service",
  target: { apiVersion: "v1", kind: "Service", name: metricsName, namespace: "$operator" },
  forms: [{ apiVersion: "v1", labels: metricsLabels, annotations, spec: fields(constantFields(spec, "required")) }],
  render: ({ ownNamespace }) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: metricsName, namespace: ownNamespace, labels: metricsLabels, annotations },
    spec,
  }),
});
