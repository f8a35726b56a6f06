import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("the Service selects the operator and has a certificate", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: v1
kind: Service
metadata:
  annotations:
    service.beta.openshift.io/serving-cert-secret-name: virt-platform-operator-metrics-tls
  labels:
    app.kubernetes.io/component: metrics
    app.kubernetes.io/name: virt-platform-operator
  name: virt-platform-operator-metrics
  namespace: virt-platform-operator-system
spec:
  ports:
  - name: metrics
    port: 8443
    protocol: TCP
    targetPort: metrics
  selector:
    app.kubernetes.io/name: virt-platform-operator
    control-plane: controller-manager
`);
});
