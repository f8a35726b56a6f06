// Writes the bill of materials of the shipped files as CycloneDX 1.6. It is reproducible, without a timestamp or a
// random ID.

import { createHash } from "node:crypto";
import type { ShippedPackage } from "./shipped.ts";

export type ShippedFile = {
  readonly name: string;
  readonly content: Buffer | string;
  readonly packages?: readonly ShippedPackage[];
};

export type Shipment = {
  readonly version: string;
  readonly files: readonly ShippedFile[];
};

export function sbomOf({ version, files }: Shipment): string {
  const product = `virt-operators@${version}`;
  const inside = files.flatMap(({ packages = [] }) => packages);
  const packages = [...new Map(inside.map((shipped) => [purl(shipped), shipped])).values()];
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": product, name: "virt-operators", version, licenses: ours },
    },
    components: [...files.map(fileComponent), ...packages.map(packageComponent)],
    dependencies: [
      { ref: product, dependsOn: files.map(fileRef) },
      ...files.flatMap((file) =>
        file.packages === undefined ? [] : [{ ref: fileRef(file), dependsOn: file.packages.map(purl) }],
      ),
    ],
  };
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}

const ours = [{ license: { id: "Apache-2.0" } }];

const fileRef = ({ name }: ShippedFile): string => `file:${name}`;

function fileComponent(file: ShippedFile) {
  const hashes = (["sha256", "sha512"] as const).map((algorithm) => ({
    alg: algorithm.replace("sha", "SHA-"),
    content: createHash(algorithm).update(file.content).digest("hex"),
  }));
  return { type: "file", "bom-ref": fileRef(file), name: file.name, hashes };
}

// https://github.com/package-url/purl-spec: the at sign of a scope is written %40.
function purl({ name, version }: ShippedPackage): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function packageComponent(shipped: ShippedPackage) {
  const { name, version, license, integrity } = shipped;
  const licenses = license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }];
  return {
    type: "library",
    "bom-ref": purl(shipped),
    name,
    version,
    purl: purl(shipped),
    licenses,
    hashes: [hash(integrity)],
  };
}

function hash(integrity: string) {
  const [algorithm = "", value = ""] = integrity.split("-");
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(value, "base64").toString("hex") };
}
