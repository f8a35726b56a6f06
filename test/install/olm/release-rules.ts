// The rules that OLM applies to a release: its name and version, its place in the upgrade graph, and its image.
// https://github.com/operator-framework/api/tree/master/pkg/validation/internal: csv.go, operatorhub.go
// https://github.com/operator-framework/operator-registry/tree/master/pkg/lib/bundle: validate.go

import { asText } from "@virt/objects";
import {
  csvAnnotations,
  csvList,
  csvText,
  faultsOf,
  isSubdomain,
  type Rule,
  withAnnotation,
  withCsvField,
} from "./bundle.ts";

const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\dA-Za-z.-]+)?(?:\+[\dA-Za-z.-]+)?$/;

const isVersion = (text: string) => semantic.test(text);

const isLabelValue = (text: string) => text.length <= 63 && /^([A-Za-z\d]([-\w.]*[A-Za-z\d])?)?$/.test(text);

const prefix = "operators.operatorframework.io.bundle";
const channels = `${prefix}.channels.v1`;
const required = {
  [`${prefix}.mediatype.v1`]: "registry+v1",
  [`${prefix}.manifests.v1`]: "manifests/",
  [`${prefix}.metadata.v1`]: "metadata/",
};

export const releaseRules: readonly Rule[] = [
  {
    rule: "metadata.name is a DNS-1123 subdomain and a label value",
    findFaults: ({ csv }) => faultsOf([csv.metadata.name], (name) => isSubdomain(name) && isLabelValue(name)),
    breakRule: withCsvField(["metadata", "name"], `virt-operators.v${"1".repeat(60)}`),
  },
  {
    rule: "metadata.name is <operator-name>.v<spec.version>",
    findFaults: (bundle) => {
      const [, version, ...more] = bundle.csv.metadata.name.split(".v");
      const isGood = more.length === 0 && version === csvText(bundle, "spec", "version") && isVersion(version);
      return isGood ? [] : [bundle.csv.metadata.name];
    },
    breakRule: withCsvField(["metadata", "name"], "virt-operators.v0.9"),
  },
  {
    rule: "spec.minKubeVersion is a semantic version",
    findFaults: (bundle) => faultsOf([csvText(bundle, "spec", "minKubeVersion")], isVersion),
    breakRule: withCsvField(["spec", "minKubeVersion"], "1.30"),
  },
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
