import type { Subject } from "../subject.ts";
import { selector, selectorFields, selectorPaths } from "./parts.ts";

const durations = { good: ["0", "1h30m", "15d", ""], bad: ["30", "-30s", "1m1h", "half an hour"] };
const map = (path: string) => [{ path, isOpen: true, good: [{}] }, { path: `${path}{}` }];
const rule = "spec.groups[].rules[]";

const prometheusRule: Subject = {
  title: "a PrometheusRule",
  mock: "prometheusrules.yaml",
  genuine: [{ file: "operators/monitoring.coreos.com_prometheusrules.yaml" }],
  mentioned: {
    "platform.md 9.3": [
      "spec.groups",
      "spec.groups[].name",
      "spec.groups[].interval",
      ...["alert", "expr", "for", "labels", "annotations"].map((key) => `${rule}.${key}`),
    ],
    "platform.md 4.8": [`${rule}.record`],
  },
  sample: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: {
      name: "virt-platform-operator-alerts",
      namespace: "probes",
      labels: { prometheus: "k8s", role: "alert-rules" },
    },
    spec: {
      groups: [
        {
          name: "virt-platform-operator",
          interval: "30s",
          labels: { a: "b" },
          rules: [
            {
              alert: "A",
              record: "a",
              expr: "up == 0",
              for: "15m",
              keep_firing_for: "5m",
              labels: { severity: "warning" },
              annotations: { summary: "a" },
            },
            { record: "b", expr: 1 },
          ],
        },
        { name: "other" },
      ],
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.groups", good: [[]], bad: [[{ name: "a" }, { name: "a" }]] },
    { path: "spec.groups[]", bad: [{}] },
    { path: "spec.groups[].name", isRequired: true, bad: [""] },
    { path: "spec.groups[].interval", ...durations },
    ...map("spec.groups[].labels"),
    { path: "spec.groups[].rules", good: [[]] },
    { path: rule, bad: [{}] },
    { path: `${rule}.alert`, good: [""] },
    { path: `${rule}.record` },
    { path: `${rule}.expr`, isRequired: true, isIntOrString: true, good: [1, ""], bad: [1.5] },
    { path: `${rule}.for`, ...durations },
    { path: `${rule}.keep_firing_for`, good: ["1h"], bad: ["", "soon"] },
    ...map(`${rule}.labels`),
    ...map(`${rule}.annotations`),
  ],
};

const endpoint = "spec.endpoints[]";
const tls = { caFile: "a", certFile: "b", keyFile: "c", serverName: "d", insecureSkipVerify: false };

const serviceMonitor: Subject = {
  title: "a ServiceMonitor",
  mock: "servicemonitors.yaml",
  genuine: [{ file: "operators/monitoring.coreos.com_servicemonitors.yaml" }],
  mentioned: {
    "platform.md 4.11": [
      ...selectorPaths("spec.selector"),
      ...[
        "port",
        "path",
        "scheme",
        "interval",
        "honorLabels",
        "bearerTokenFile",
        "tlsConfig.caFile",
        "tlsConfig.serverName",
      ].map((key) => `${endpoint}.${key}`),
    ],
  },
  sample: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: "virt-platform-operator-metrics", namespace: "probes" },
    spec: {
      jobLabel: "a",
      selector,
      namespaceSelector: { any: false, matchNames: ["a"] },
      endpoints: [
        {
          port: "metrics",
          path: "/metrics",
          scheme: "https",
          interval: "30s",
          scrapeTimeout: "10s",
          honorLabels: true,
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          tlsConfig: tls,
        },
      ],
    },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.jobLabel" },
    ...selectorFields("spec.selector").map((field) =>
      field.path === "spec.selector" ? { ...field, isRequired: true } : field,
    ),
    { path: "spec.namespaceSelector", good: [{}] },
    { path: "spec.namespaceSelector.any" },
    { path: "spec.namespaceSelector.matchNames", good: [[]] },
    { path: "spec.namespaceSelector.matchNames[]" },
    { path: "spec.endpoints", isRequired: true, good: [[], [{}]] },
    { path: endpoint, good: [{}] },
    { path: `${endpoint}.port`, good: [""] },
    { path: `${endpoint}.path` },
    { path: `${endpoint}.scheme`, good: ["http", "HTTP", "HTTPS"], bad: ["Https", "ftp", ""] },
    { path: `${endpoint}.interval`, ...durations },
    { path: `${endpoint}.scrapeTimeout`, ...durations },
    { path: `${endpoint}.honorLabels`, good: [false] },
    { path: `${endpoint}.bearerTokenFile` },
    { path: `${endpoint}.tlsConfig`, good: [{}] },
    ...Object.keys(tls).map((key) => ({ path: `${endpoint}.tlsConfig.${key}` })),
  ],
};

export const monitoring: readonly Subject[] = [prometheusRule, serviceMonitor];
