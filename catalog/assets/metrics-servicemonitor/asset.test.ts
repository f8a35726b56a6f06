import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("keeps the labels of metrics and verifies the server certificate", () => {
  expect(renderedAsset(asset, { ownNamespace: "elsewhere" })).toBe(`apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: virt-platform-operator-metrics
  namespace: elsewhere
spec:
  endpoints:
  - bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
    honorLabels: true
    interval: 30s
    path: /metrics
    port: metrics
    scheme: https
    tlsConfig:
      caFile: /etc/prometheus/configmaps/serving-certs-ca-bundle/service-ca.crt
      serverName: virt-platform-operator-metrics.elsewhere.svc
  selector:
    matchLabels:
      app.kubernetes.io/component: metrics
      app.kubernetes.io/name: virt-platform-operator
`);
});
