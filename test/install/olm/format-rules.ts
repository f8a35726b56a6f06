// The rules of the format registry+v1, of the upgrade graph, of several architectures, and of OLM 1.
// https://github.com/operator-framework/operator-registry/tree/master/pkg/lib/bundle: validate.go
// https://github.com/operator-framework/api/tree/master/pkg/validation/internal: multiarch.go, good_practices.go
// https://github.com/operator-framework/operator-controller/tree/main/internal/operator-controller/rukpak/render/registryv1/validators

import { asList, asText, at } from "@virt/objects";
import { architectures, operatingSystem } from "../../../tools/platforms.ts";
import {
  csvAnnotations,
  csvList,
  csvText,
  deploymentsIn,
  faultsOf,
  isSubdomain,
  podsIn,
  type Rule,
  textOf,
  withAnnotation,
  withCsvField,
} from "./bundle.ts";

const prefix = "operators.operatorframework.io.bundle";
const channels = `${prefix}.channels.v1`;
const required = {
  [`${prefix}.mediatype.v1`]: "registry+v1",
  [`${prefix}.manifests.v1`]: "manifests/",
  [`${prefix}.metadata.v1`]: "metadata/",
};

export const formatRules: readonly Rule[] = [
  {
    rule: "channels follow the naming convention: candidate, fast or stable",
    findFaults: ({ annotations }) =>
      faultsOf((annotations[channels] ?? "").split(","), (name) => /^(?:candidate|fast|stable)/.test(name)),
    breakRule: withAnnotation("operators.operatorframework.io.bundle.channels.v1", "alpha"),
  },
  {
    rule: "the bundle has manifests, annotations and no unknown metadata",
    findFaults: ({ files }) => [
      ...(files.some((file) => file.startsWith("manifests/")) ? [] : ["no manifests"]),
      ...(files.includes("metadata/annotations.yaml") ? [] : ["no annotations"]),
      ...files.filter((file) => file.startsWith("metadata/") && !/\/(annotations|properties)\.yaml$/.test(file)),
    ],
    breakRule: (bundle) => ({ ...bundle, files: bundle.files.filter((file) => !file.startsWith("metadata/")) }),
  },
  {
    rule: "annotations name the media type, the folders, the package and the channels",
    findFaults: ({ annotations, csv }) => [
      ...Object.entries(required).flatMap(([name, value]) => (annotations[name] === value ? [] : [name])),
      ...(csv.metadata.name.startsWith(`${annotations[`${prefix}.package.v1`]}.v`) ? [] : ["package"]),
      ...(annotations[channels] ? [] : ["channels"]),
    ],
    breakRule: withAnnotation(`${prefix}.package.v1`, "others"),
  },
  {
    rule: "the default channel is one of the channels",
    findFaults: ({ annotations }) => {
      const usual = annotations[`${prefix}.channel.default.v1`] ?? "";
      return (annotations[channels] ?? "").split(",").includes(usual) ? [] : [usual];
    },
    breakRule: withAnnotation(`${prefix}.channel.default.v1`, "stable"),
  },
  {
    rule: "bundle.Dockerfile has the annotations as labels and copies their folders",
    findFaults: ({ annotations, dockerfile }) => {
      const labels = [...dockerfile.matchAll(/^LABEL ([^=]+)=(.*)$/gm)].map(([, key, value]) => `${key}=${value}`);
      const said = Object.entries(annotations).map(([key, value]) => `${key}=${value}`);
      const folders = Object.values(annotations).filter((value) => value.endsWith("/"));
      const copied = folders.filter((folder) => !dockerfile.includes(` /${folder}\n`));
      return [
        ...faultsOf(labels, (label) => said.includes(label)),
        ...said.filter((one) => !labels.includes(one)),
        ...copied,
      ];
    },
    breakRule: withAnnotation(channels, "fast"),
  },
];

export const scorecardRules: readonly Rule[] = [
  {
    rule: "the configuration is v1alpha3, and test images have registry and tag",
    findFaults: ({ scorecard }) => [
      ...faultsOf([textOf(scorecard, "apiVersion")], (text) => text === "scorecard.operatorframework.io/v1alpha3"),
      ...faultsOf(
        asList(at(scorecard, "stages"))
          .flatMap((stage) => asList(at(stage, "tests")))
          .map((one) => textOf(one, "image")),
        (image) => /^[a-z.]+\.[a-z]+\/\S+:v[\d.]+$/.test(image),
      ),
    ],
    breakRule: (bundle) => ({
      ...bundle,
      scorecard: { stages: [{ tests: [{ image: "operator-framework/any:v1" }] }] },
    }),
  },
];

export const upgradeRules: readonly Rule[] = [
  {
    rule: "olm.skipRange covers every earlier release",
    findFaults: (bundle) => {
      const range = csvAnnotations(bundle)["olm.skipRange"] ?? "";
      return range === `<${csvText(bundle, "spec", "version")}` ? [] : [range];
    },
    breakRule: withCsvField(["metadata", "annotations", "olm.skipRange"], "<=0.1.0"),
  },
  {
    rule: "the bundle replaces and skips no release",
    findFaults: (bundle) =>
      [
        csvText(bundle, "spec", "replaces"),
        ...csvList(bundle, "spec", "skips").map((name) => asText(name) ?? ""),
      ].filter((name) => name !== ""),
    breakRule: withCsvField(["spec", "replaces"], "virt-operators.v0.0.9"),
  },
];

export const platformRules: readonly Rule[] = [
  {
    rule: "labels name exactly the image's architectures and operating system",
    findFaults: ({ csv }) => {
      const wanted = [...architectures.map((name) => `arch.${name}`), `os.${operatingSystem}`];
      const named = Object.entries(csv.metadata.labels ?? {}).flatMap(([label, value]) =>
        value === "supported" ? [label.replace("operatorframework.io/", "")] : [],
      );
      return [...wanted.filter((one) => !named.includes(one)), ...named.filter((one) => !wanted.includes(one))];
    },
    breakRule: withCsvField(["metadata", "labels", "operatorframework.io/arch.s390x"], "supported"),
  },
  {
    rule: "node affinity selects exactly these architectures and this system",
    findFaults: (bundle) => {
      const values = { "kubernetes.io/arch": architectures, "kubernetes.io/os": [operatingSystem] };
      const wanted = Object.entries(values).map(([key, list]) => ({ key, operator: "In", values: [...list] }));
      const terms = podsIn(bundle).map((pod) =>
        at(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
      );
      return faultsOf(terms, (term) => JSON.stringify(term) === JSON.stringify([{ matchExpressions: wanted }]));
    },
    breakRule: withCsvField(["spec", "install", "spec", "deployments", 1, "spec", "template", "spec", "affinity"], {}),
  },
];

export const newOlmRules: readonly Rule[] = [
  {
    rule: "Deployments have unique DNS-1123 names",
    findFaults: (bundle) => {
      const names = deploymentsIn(bundle).map((one) => textOf(one, "name"));
      return [
        ...faultsOf(names, isSubdomain),
        ...names.filter((name, place) => names.indexOf(name) !== place),
        ...(names.length === 0 ? ["none"] : []),
      ];
    },
    breakRule: withCsvField(
      ["spec", "install", "spec", "deployments", 1, "name"],
      "virt-advisor-operator-controller-manager",
    ),
  },
  {
    rule: "supports only install mode AllNamespaces, without webhooks",
    findFaults: (bundle) => [
      ...csvList(bundle, "spec", "installModes").flatMap((mode) =>
        (textOf(mode, "type") === "AllNamespaces") === at(mode, "supported") ? [] : [textOf(mode, "type")],
      ),
      ...csvList(bundle, "spec", "webhookdefinitions").map((one) => JSON.stringify(one)),
      ...csvList(bundle, "spec", "apiservicedefinitions", "owned").map((one) => JSON.stringify(one)),
    ],
    breakRule: withCsvField(["spec", "webhookdefinitions"], [{ generateName: "any.example.com" }]),
  },
];
