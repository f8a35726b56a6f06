// The rules of the bundle, object and good-practice validators.
// https://github.com/operator-framework/api/tree/master/pkg/validation/internal: bundle.go, object.go, good_practices.go
// https://github.com/operator-framework/operator-registry/tree/master/pkg/lib/bundle: supported_resources.go

import { asList, asText, at, type Json, type KubeObject } from "@virt/objects";
import {
  type Bundle,
  containersIn,
  csvAnnotations,
  csvList,
  definitionsIn,
  faultsOf,
  podsIn,
  type Rule,
  rulesIn,
  textOf,
  withCsvField,
  withFieldOf,
  withObject,
} from "./bundle.ts";

const any = (kind: string, apiVersion = "v1", name = "any"): KubeObject => ({ apiVersion, kind, metadata: { name } });
const owned = ["spec", "customresourcedefinitions", "owned"];
const strategy = ["spec", "install", "spec"];

/** `<plural>.<group>/<version> <kind>` */
const ownedDefinitions = (bundle: Bundle) =>
  csvList(bundle, ...owned).map((one) => `${textOf(one, "name")}/${textOf(one, "version")} ${textOf(one, "kind")}`);
const servedDefinitions = (bundle: Bundle) =>
  definitionsIn(bundle).flatMap((one) =>
    asList(at(one, "spec", "versions")).map(
      (version) =>
        `${asText(at(one, "metadata", "name"))}/${textOf(version, "name")} ${asText(at(one, "spec", "names", "kind"))}`,
    ),
  );
const repeated = (texts: readonly string[]) => texts.filter((text, place) => texts.indexOf(text) !== place);

export const bundleRules: readonly Rule[] = [
  {
    rule: "every owned CRD is in the bundle with its version",
    findFaults: (bundle) => {
      const served = servedDefinitions(bundle);
      return faultsOf(ownedDefinitions(bundle), (one) => served.includes(one));
    },
    breakRule: (bundle) => ({ ...bundle, objects: bundle.objects.filter(({ kind }) => !kind.startsWith("Custom")) }),
  },
  {
    rule: "every CRD in the bundle is owned by the CSV and unique",
    findFaults: (bundle) => {
      const named = ownedDefinitions(bundle);
      const served = servedDefinitions(bundle);
      return [...faultsOf(served, (one) => named.includes(one)), ...repeated(served)];
    },
    breakRule: withCsvField(owned, []),
  },
  {
    rule: "no ServiceAccount of the CSV is also an object",
    findFaults: (bundle) => {
      const named = podsIn(bundle).map((pod) => textOf(pod, "serviceAccountName"));
      const accounts = bundle.objects.filter(({ kind }) => kind === "ServiceAccount");
      return accounts.map(({ metadata }) => metadata.name).filter((name) => named.includes(name));
    },
    breakRule: withObject(any("ServiceAccount", "v1", "virt-advisor-operator-controller-manager")),
  },
  {
    rule: "the compressed bundle fits into a ConfigMap of OLM (1 MiB)",
    findFaults: ({ compressedBytes }) => faultsOf([compressedBytes], (size) => size > 0 && size < 2 ** 20 * 0.85),
    breakRule: (bundle) => ({ ...bundle, compressedBytes: 2 ** 20 }),
  },
  {
    rule: "related images are valid and include every used image",
    findFaults: (bundle) => {
      const related = csvList(bundle, "spec", "relatedImages").map((one) => textOf(one, "image"));
      const used = [...containersIn(bundle).map((one) => textOf(one, "image")), csvAnnotations(bundle).containerImage];
      return [
        ...faultsOf(related, (image) => /^[a-z\d]+[\w./:-]*(@sha256:[a-f\d]{64})?$/.test(image)),
        ...faultsOf(used, (image) => image !== undefined && related.includes(image)),
      ];
    },
    breakRule: withCsvField(["spec", "relatedImages"], []),
  },
  {
    rule: "registry+v1 supports every kind",
    findFaults: ({ objects }) => faultsOf([...new Set(objects.map(({ kind }) => kind))], (kind) => kinds.has(kind)),
    breakRule: withObject(any("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1")),
  },
  {
    rule: "no object sets its namespace",
    findFaults: ({ objects }) => objects.flatMap(({ metadata }) => metadata.namespace ?? []),
    breakRule: withFieldOf("Service", ["metadata", "namespace"], "elsewhere"),
  },
  {
    rule: "uses no API that Kubernetes removed",
    findFaults: ({ objects }) => faultsOf(objects, ({ apiVersion }) => !/(?:alpha|beta)\d+$/.test(apiVersion)),
    breakRule: withObject(any("PodDisruptionBudget", "policy/v1beta1")),
  },
];

export const objectRules: readonly Rule[] = [
  {
    rule: "no PodDisruptionBudget has maxUnavailable 0 or minAvailable 100%",
    findFaults: ({ objects }) =>
      objects
        .filter(({ kind }) => kind === "PodDisruptionBudget")
        .flatMap((budget) => [at(budget, "spec", "maxUnavailable"), at(budget, "spec", "minAvailable")])
        .filter((value) => value === 0 || value === "0%" || value === "100%")
        .map(String),
    breakRule: withFieldOf("PodDisruptionBudget", ["spec", "maxUnavailable"], 0),
  },
  {
    rule: "no PriorityClass is the global default",
    findFaults: ({ objects }) =>
      objects.filter((one) => at(one, "globalDefault") === true).map(({ metadata }) => metadata.name),
    breakRule: withObject({ ...any("PriorityClass"), globalDefault: true }),
  },
  {
    rule: "no rule allows writes to PodDisruptionBudgets or SecurityContextConstraints",
    findFaults: (bundle) =>
      grantsOf(bundle, ["poddisruptionbudgets", "securitycontextconstraints"], ["create", "update", "patch", "delete"]),
    breakRule: withCsvField(
      [...strategy, "permissions", 0, "rules"],
      [{ apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["patch"] }],
    ),
  },
];

export const goodPractices: readonly Rule[] = [
  {
    rule: "every container requests CPU and memory",
    findFaults: (bundle) =>
      faultsOf(containersIn(bundle), (container) => {
        const { cpu, memory } = (at(container, "resources", "requests") ?? {}) as { cpu?: string; memory?: string };
        return Boolean(cpu) && Boolean(memory);
      }),
    breakRule: withCsvField(
      [...strategy, "deployments", 0, "spec", "template", "spec", "containers", 0, "resources"],
      {},
    ),
  },
  {
    rule: "no CRD has an empty description",
    findFaults: (bundle) => faultsOf(csvList(bundle, ...owned), (one) => textOf(one, "description") !== ""),
    breakRule: withCsvField([...owned, 0, "description"], ""),
  },
  {
    rule: "the CSV has no permission to create CRDs",
    findFaults: (bundle) => grantsOf(bundle, ["customresourcedefinitions"], ["create", "patch"]),
    breakRule: withCsvField(
      [...strategy, "clusterPermissions", 0, "rules"],
      [{ apiGroups: ["apiextensions.k8s.io"], resources: ["*"], verbs: ["create"] }],
    ),
  },
];

function grantsOf(bundle: Bundle, resources: readonly string[], verbs: readonly string[]): readonly string[] {
  const has = (rule: Json, field: string, wanted: readonly string[]) =>
    asList(at(rule, field)).some((one) => one === "*" || wanted.includes(asText(one) ?? ""));
  const found = rulesIn(bundle).filter((rule) => has(rule, "resources", resources) && has(rule, "verbs", verbs));
  return found.map((rule) => JSON.stringify(rule));
}

/** The kinds that operator-registry supports. OLM 0 and OLM 1 install no others. */
const kinds: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "ConsoleQuickStart",
  "ConsoleYAMLSample",
  "CustomResourceDefinition",
  "NetworkPolicy",
  "PodDisruptionBudget",
  "PodMonitor",
  "PriorityClass",
  "PrometheusRule",
  "Role",
  "RoleBinding",
  "Secret",
  "Service",
  "ServiceAccount",
  "ServiceMonitor",
  "VerticalPodAutoscaler",
]);
