import type { DebianPackage } from "./debian-packages.ts";
import type { NodePackage } from "./node-package.ts";

type Component = { readonly "bom-ref": string; readonly [key: string]: unknown };
type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] };
type Bill = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
};

export type ImageContents = { readonly node: NodePackage; readonly packages: readonly DebianPackage[] };

/** `program` is the content of dist/sbom.cdx.json. The output depends only on the arguments. */
export function extendBill(program: string, { node, packages }: ImageContents): string {
  const bill = JSON.parse(program) as Bill;
  const added = [nodeComponent(node), ...packages.map(packageComponent)];
  const product = bill.metadata.component["bom-ref"];
  const dependencies = bill.dependencies.map(({ ref, dependsOn }) =>
    ref === product ? { ref, dependsOn: [...dependsOn, ...added.map((one) => one["bom-ref"])] } : { ref, dependsOn },
  );
  return `${JSON.stringify({ ...bill, components: [...bill.components, ...added], dependencies }, undefined, 2)}\n`;
}

function nodeComponent({ name, version, license, integrity }: NodePackage): Component {
  const purl = `pkg:npm/${name}@${version}`;
  const [algorithm = "", value = ""] = integrity.split("-");
  const content = Buffer.from(value, "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
    hashes: [{ alg: algorithm.replace("sha", "SHA-"), content }],
  };
}

/** Debian licenses are texts. See /usr/share/doc/<name>/copyright in the image. */
function packageComponent({ name, version, architecture, sha256 }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-256", content: sha256 }],
  };
}
