// The rules for an installation: OLM refuses a bundle that breaks one of them, or the installation harms the cluster.
// https://github.com/operator-framework/api/tree/master/pkg/validation/internal: bundle.go, object.go, good_practices.go, multiarch.go
// https://github.com/operator-framework/operator-registry/tree/master/pkg/lib/bundle: supported_resources.go
// https://github.com/operator-framework/operator-controller/tree/main/internal/operator-controller/rukpak/render/registryv1/validators

import { asList, asText, at, type Json, type KubeObject } from "@virt/objects";
import { architectures, operatingSystem } from "../../../tools/platforms.ts";
import {
  type Bundle,
  csvAnnotations,
  csvList,
  deploymentsIn,
  faultsOf,
  isSubdomain,
  type Rule,
  textOf,
  withCsvField,
  withFieldOf,
  withObject,
} from "./bundle.ts";

const any = (kind: string, apiVersion = "v1", name = "any"): KubeObject => ({ apiVersion, kind, metadata: { name } });
const owned = ["spec", "customresourcedefinitions", "owned"];
const strategy = ["spec", "install", "spec"];
const advisor = "virt-advisor-operator-controller-manager";

const repeated = (texts: readonly string[]) => texts.filter((text, place) => texts.indexOf(text) !== place);

const podsIn = (bundle: Bundle) => deploymentsIn(bundle).map((one) => at(one, "spec", "template", "spec") ?? null);

/** `<plural>.<group>/<version> <kind>` */
const ownedDefinitions = (bundle: Bundle) =>
  csvList(bundle, ...owned).map((one) => `${textOf(one, "name")}/${textOf(one, "version")} ${textOf(one, "kind")}`);

const servedDefinitions = ({ objects }: Bundle) =>
  objects
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .flatMap((one) =>
      asList(at(one, "spec", "versions")).map(
        (version) => `${one.metadata.name}/${textOf(version, "name")} ${asText(at(one, "spec", "names", "kind"))}`,
      ),
    );

const permissionsIn = (bundle: Bundle) =>
  ["clusterPermissions", "permissions"].flatMap((field) => csvList(bundle, ...strategy, field));

/** OLM creates these accounts. */
const accountsOf = (bundle: Bundle) => permissionsIn(bundle).map((one) => textOf(one, "serviceAccountName"));

export const objectRules: readonly Rule[] = [
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
    rule: "registry+v1 supports every kind",
    findFaults: ({ objects }) => faultsOf([...new Set(objects.map(({ kind }) => kind))], (kind) => kinds.has(kind)),
    breakRule: withObject(any("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1")),
  },
  {
    rule: "the CSV has no webhooks and no API services",
    findFaults: (bundle) =>
      [["webhookdefinitions"], ["apiservicedefinitions", "owned"]]
        .flatMap((path) => csvList(bundle, "spec", ...path))
        .map((one) => JSON.stringify(one)),
    breakRule: withCsvField(["spec", "webhookdefinitions"], [{ generateName: "any.example.com" }]),
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
    rule: "the compressed bundle fits into a ConfigMap of OLM (1 MiB)",
    findFaults: ({ compressedBytes }) => faultsOf([compressedBytes], (size) => size > 0 && size < 2 ** 20 * 0.85),
    breakRule: (bundle) => ({ ...bundle, compressedBytes: 2 ** 20 }),
  },
];

export const deploymentRules: readonly Rule[] = [
  {
    rule: "install modes are unique, and AllNamespaces is supported",
    findFaults: (bundle) => {
      const modes = csvList(bundle, "spec", "installModes");
      const types = modes.map((mode) => textOf(mode, "type"));
      const isSupported = at(modes[types.indexOf("AllNamespaces")], "supported") === true;
      return [...repeated(types), ...(isSupported ? [] : ["AllNamespaces"])];
    },
    breakRule: withCsvField(["spec", "installModes", 3, "supported"], false),
  },
  {
    rule: "no install mode other than AllNamespaces is supported",
    findFaults: (bundle) =>
      csvList(bundle, "spec", "installModes")
        .filter((mode) => at(mode, "supported") !== false)
        .map((mode) => textOf(mode, "type"))
        .filter((type) => type !== "AllNamespaces"),
    breakRule: withCsvField(["spec", "installModes", 0, "supported"], true),
  },
  {
    rule: "Deployments have unique DNS-1123 names",
    findFaults: (bundle) => {
      const names = deploymentsIn(bundle).map((one) => textOf(one, "name"));
      return [...faultsOf(names, isSubdomain), ...repeated(names), ...(names.length === 0 ? ["none"] : [])];
    },
    breakRule: withCsvField([...strategy, "deployments", 1, "name"], advisor),
  },
  {
    rule: "each Deployment uses a ServiceAccount of the CSV, or no token",
    findFaults: (bundle) => {
      const accounts = accountsOf(bundle);
      const hasAccount = (pod: Json) => {
        const name = textOf(pod, "serviceAccountName");
        return name === "" ? at(pod, "automountServiceAccountToken") === false : accounts.includes(name);
      };
      return faultsOf(podsIn(bundle), hasAccount);
    },
    breakRule: withCsvField([...strategy, "deployments", 1, "spec", "template", "spec", "serviceAccountName"], "other"),
  },
  {
    rule: "no ServiceAccount of the CSV is also an object",
    findFaults: (bundle) => {
      const accounts = accountsOf(bundle);
      const objects = bundle.objects.filter(({ kind }) => kind === "ServiceAccount");
      return objects.map(({ metadata }) => metadata.name).filter((name) => accounts.includes(name));
    },
    breakRule: withObject(any("ServiceAccount", "v1", advisor)),
  },
  {
    rule: "related images are valid and include every used image",
    findFaults: (bundle) => {
      const related = csvList(bundle, "spec", "relatedImages").map((one) => textOf(one, "image"));
      const containers = podsIn(bundle).flatMap((pod) => asList(at(pod, "containers")));
      const used = [...containers.map((one) => textOf(one, "image")), csvAnnotations(bundle).containerImage];
      return [
        ...faultsOf(related, (image) => /^[a-z\d]+[\w./:-]*(@sha256:[a-f\d]{64})?$/.test(image)),
        ...faultsOf(used, (image) => image !== undefined && related.includes(image)),
      ];
    },
    breakRule: withCsvField(["spec", "relatedImages"], []),
  },
  {
    rule: "node affinity selects exactly the image's architectures and operating system",
    findFaults: (bundle) => {
      const values = { "kubernetes.io/arch": architectures, "kubernetes.io/os": [operatingSystem] };
      const wanted = Object.entries(values).map(([key, list]) => ({ key, operator: "In", values: [...list] }));
      const terms = podsIn(bundle).map((pod) =>
        at(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
      );
      return faultsOf(terms, (term) => JSON.stringify(term) === JSON.stringify([{ matchExpressions: wanted }]));
    },
    breakRule: withCsvField([...strategy, "deployments", 1, "spec", "template", "spec", "affinity"], {}),
  },
];

const forbidden = [
  { resource: "customresourcedefinitions", example: { resources: ["*"], verbs: ["create"] } },
  { resource: "poddisruptionbudgets", example: { resources: ["poddisruptionbudgets"], verbs: ["patch"] } },
  { resource: "securitycontextconstraints", example: { resources: ["securitycontextconstraints"], verbs: ["*"] } },
];

export const rightsRules: readonly Rule[] = forbidden.map(({ resource, example }) => ({
  rule: `no rule allows writes to ${resource}`,
  findFaults: (bundle) =>
    faultsOf(rulesIn(bundle), (rule) => {
      const has = (field: string, wanted: readonly string[]) =>
        asList(at(rule, field)).some((one) => one === "*" || wanted.includes(asText(one) ?? ""));
      return !(has("resources", [resource]) && has("verbs", ["create", "update", "patch", "delete"]));
    }),
  breakRule: withCsvField([...strategy, "permissions", 0, "rules"], [{ apiGroups: ["*"], ...example }]),
}));

/** Returns the rules of the CSV's accounts and of the separate roles. */
function rulesIn(bundle: Bundle): readonly Json[] {
  const roles = bundle.objects.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
  return [...permissionsIn(bundle), ...roles].flatMap((one) => asList(at(one, "rules")));
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
