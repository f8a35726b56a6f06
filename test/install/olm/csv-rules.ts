// The rules of the ClusterServiceVersion, OperatorHub, capability and category validators.
// https://github.com/operator-framework/api/tree/master/pkg/validation/internal: csv.go, operatorhub.go, annotations.go, standard*.go

import { asList, at, type Json } from "@virt/objects";
import {
  type Bundle,
  csvAnnotations,
  csvList,
  csvText,
  csvTextRule,
  faultsOf,
  isLabelValue,
  isSubdomain,
  isVersion,
  type Rule,
  textOf,
  withCsvField,
} from "./bundle.ts";

const annotation = (name: string) => ["metadata", "annotations", name];

const isSet = (text: string) => text.trim() !== "";

function isCsvName(name: string): boolean {
  return isSubdomain(name) && isLabelValue(name);
}

function examplesOf(bundle: Bundle): readonly Json[] | undefined {
  try {
    return asList(JSON.parse(csvAnnotations(bundle)["alm-examples"] ?? "") as Json);
  } catch {
    return undefined;
  }
}

const apiOf = (example: Json) => `${textOf(example, "apiVersion")} ${textOf(example, "kind")}`;

function providedApis(bundle: Bundle): readonly string[] {
  return csvList(bundle, "spec", "customresourcedefinitions", "owned").map((owned) => {
    const name = textOf(owned, "name");
    return `${name.slice(name.indexOf(".") + 1)}/${textOf(owned, "version")} ${textOf(owned, "kind")}`;
  });
}

export const csvRules: readonly Rule[] = [
  {
    rule: "apiVersion and kind are set",
    findFaults: ({ csv }) => faultsOf([csv.apiVersion, csv.kind], (text) => Boolean(text)),
    breakRule: withCsvField(["apiVersion"], ""),
  },
  csvTextRule(
    "metadata.name is a DNS-1123 subdomain and a label value",
    ["metadata", "name"],
    isCsvName,
    `virt-operators.v${"1".repeat(60)}`,
  ),
  {
    rule: "metadata.name is <operator-name>.v<spec.version>",
    findFaults: (bundle) => {
      const [, version, ...more] = bundle.csv.metadata.name.split(".v");
      const isGood = more.length === 0 && version === csvText(bundle, "spec", "version") && isVersion(version);
      return isGood ? [] : [bundle.csv.metadata.name];
    },
    breakRule: withCsvField(["metadata", "name"], "virt-operators.v0.9"),
  },
  csvTextRule(
    "spec.replaces is unset or a CSV name",
    ["spec", "replaces"],
    (name) => name === "" || isCsvName(name),
    "Virt Operators",
  ),
  csvTextRule("spec.version is a semantic version", ["spec", "version"], isVersion, "v1"),
  csvTextRule("spec.displayName is set", ["spec", "displayName"], isSet, ""),
  csvTextRule("spec.install is set", ["spec", "install", "strategy"], isSet, ""),
  {
    rule: "alm-examples is valid JSON, and olm.examples is unset",
    findFaults: (bundle) => [
      ...(examplesOf(bundle) === undefined ? ["alm-examples do not parse"] : []),
      ...("olm.examples" in csvAnnotations(bundle) ? ["olm.examples"] : []),
    ],
    breakRule: withCsvField(annotation("alm-examples"), "[{]"),
  },
  {
    rule: "every example has a provided API",
    findFaults: (bundle) => {
      const provided = providedApis(bundle);
      return faultsOf((examplesOf(bundle) ?? []).map(apiOf), (api) => provided.includes(api));
    },
    breakRule: withCsvField(["spec", "customresourcedefinitions", "owned", 0, "version"], "v9"),
  },
  {
    rule: "every provided API has an example",
    findFaults: (bundle) => {
      const shown = (examplesOf(bundle) ?? []).map(apiOf);
      return faultsOf(providedApis(bundle), (api) => shown.includes(api));
    },
    breakRule: withCsvField(annotation("alm-examples"), "[]"),
  },
  {
    rule: "install modes are unique, and at least one is supported",
    findFaults: (bundle) => {
      const modes = csvList(bundle, "spec", "installModes");
      const types = modes.map((mode) => textOf(mode, "type"));
      const twice = types.filter((type, place) => types.indexOf(type) !== place);
      return modes.some((mode) => at(mode, "supported") === true) ? twice : ["none is supported", ...twice];
    },
    breakRule: withCsvField(["spec", "installModes", 3, "supported"], false),
  },
  csvTextRule("spec.minKubeVersion is a semantic version", ["spec", "minKubeVersion"], isVersion, "1.30"),
  {
    rule: "case-sensitive annotations have the right case",
    findFaults: (bundle) => {
      const known = ["olm.skipRange", "olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces"];
      const lower = new Map([...known, "olm.providedAPIs"].map((name) => [name.toLowerCase(), name]));
      return Object.keys(csvAnnotations(bundle)).filter((name) => (lower.get(name.toLowerCase()) ?? name) !== name);
    },
    breakRule: withCsvField(annotation("olm.skiprange"), "<1.0.0"),
  },
  {
    rule: "olm.properties is not an annotation",
    findFaults: (bundle) => Object.keys(csvAnnotations(bundle)).filter((name) => name === "olm.properties"),
    breakRule: withCsvField(annotation("olm.properties"), "[]"),
  },
  csvTextRule("spec.provider.name is set", ["spec", "provider", "name"], isSet, " "),
  {
    rule: "every maintainer has a name and a valid email",
    findFaults: (bundle) => {
      const people = csvList(bundle, "spec", "maintainers");
      const isGood = (one: Json) => textOf(one, "name") !== "" && /^[^\s@<>]+@[^\s@<>]+$/.test(textOf(one, "email"));
      return people.length === 0 ? ["nobody"] : faultsOf(people, isGood);
    },
    breakRule: withCsvField(["spec", "maintainers", 0, "email"], "nobody"),
  },
  {
    rule: "every link has a name and a valid URL",
    findFaults: (bundle) => {
      const links = csvList(bundle, "spec", "links");
      const isGood = (one: Json) => textOf(one, "name") !== "" && URL.canParse(textOf(one, "url"));
      return links.length === 0 ? ["no link"] : faultsOf(links, isGood);
    },
    breakRule: withCsvField(["spec", "links", 0, "url"], "docs"),
  },
  {
    rule: "spec.icon is one SVG with its media type",
    findFaults: (bundle) => {
      const [icon, ...more] = csvList(bundle, "spec", "icon");
      const drawing = Buffer.from(textOf(icon, "base64data"), "base64").toString();
      const isDrawing = textOf(icon, "mediatype") === "image/svg+xml" && /^<svg [\s\S]*<\/svg>\n$/.test(drawing);
      return isDrawing && more.length === 0 ? [] : [textOf(icon, "mediatype")];
    },
    breakRule: withCsvField(["spec", "icon", 0, "mediatype"], "image/svg"),
  },
  csvTextRule(
    "annotation capabilities is a level of the capability model",
    annotation("capabilities"),
    (level) => capabilityLevels.includes(level),
    "Autopilot",
  ),
  {
    rule: "annotation categories has only standard categories",
    findFaults: (bundle) => {
      const named = (csvAnnotations(bundle)["categories"] ?? "").split(",").map((name) => name.trim());
      return faultsOf(named, (name) => standardCategories.includes(name));
    },
    breakRule: withCsvField(annotation("categories"), "OpenShift Optional, Virtualization"),
  },
  {
    rule: "annotations createdAt, description, repository and support are valid",
    findFaults: (bundle) => {
      const { createdAt = "", description = "", repository = "", support = "" } = csvAnnotations(bundle);
      const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(createdAt) && !Number.isNaN(Date.parse(createdAt));
      return [...(isTime ? [] : [createdAt]), ...faultsOf([description, repository, support], (text) => text !== "")];
    },
    breakRule: withCsvField(annotation("createdAt"), "yesterday"),
  },
  {
    rule: "spec.maturity, description and keywords are not empty",
    findFaults: (bundle) =>
      faultsOf(["maturity", "description", "keywords"], (name) => {
        const value = at(bundle.csv, "spec", name);
        return value !== undefined && JSON.stringify(value).length > 2;
      }),
    breakRule: withCsvField(["spec", "keywords"], []),
  },
];

const capabilityLevels = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

const standardCategories = [
  "AI/Machine Learning",
  "Application Runtime",
  "Big Data",
  "Cloud Provider",
  "Database",
  "Developer Tools",
  "Integration & Delivery",
  "Logging & Tracing",
  "Modernization & Migration",
  "Monitoring",
  "Networking",
  "Observability",
  "OpenShift Optional",
  "Security",
  "Storage",
  "Streaming & Messaging",
];
