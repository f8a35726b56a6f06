// `make plugin`: writes the kubectl plugin's archive and krew manifest to dist/plugin. Equal sources give equal bytes.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeYaml } from "@virt/objects";
import { writeTar } from "../image/tar.ts";

const folder = join("dist", "plugin");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const archive = `kubectl-virt_advisor-v${version}.tar.gz`;
const { PLUGIN_URI = `https://github.com/kubevirt/virt-operators/releases/download/v${version}/${archive}` } =
  process.env;

execFileSync(process.execPath, [join("apps", "cli", "src", "package-files.ts"), folder, `v${version}`]);
const file = (path: string, mode = 0o644) => ({ kind: "file", mode, content: readFileSync(path) }) as const;
const beside = [
  "kubectl-virt_advisor.1",
  "kubectl-virt_advisor.bash",
  "_kubectl-virt_advisor",
  "kubectl-virt_advisor.fish",
];
const tree = new Map([
  ["kubectl-virt_advisor", file(join("dist", "kubectl-virt_advisor"), 0o755)],
  ["LICENSE", file("LICENSE")],
  ...[...beside, "THIRD_PARTY_NOTICES"].map((name) => [name, file(join(folder, name))] as const),
]);
const content = gzipSync(writeTar(tree), { level: 9 });
writeFileSync(join(folder, archive), content);
const sha256 = createHash("sha256").update(content).digest("hex");
writeFileSync(join(folder, "virt-advisor.yaml"), writeYaml(krewManifest(sha256)));
process.stdout.write(`  ${join(folder, archive)} ${Math.round(content.length / 1000)} kB\n`);

/** krew requires a name in kebab case, an underscore in the file name, and the license in the archive. */
function krewManifest(sha256: string) {
  return {
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "virt-advisor" },
    spec: {
      version: `v${version}`,
      homepage: "https://github.com/kubevirt/virt-operators",
      shortDescription: "Plan and follow KubeVirt platform configuration",
      description:
        "Plans, reviews, approves and follows the configuration of OpenShift Virtualization and KubeVirt, with your own permissions: diffs, impact on nodes and VMs, rollouts, drift, and a web console.\n",
      caveats: "Needs Node 20.16 or newer in the PATH.\n",
      platforms: [
        {
          selector: { matchExpressions: [{ key: "os", operator: "In", values: ["darwin", "linux"] }] },
          uri: PLUGIN_URI,
          sha256,
          bin: "kubectl-virt_advisor",
          files: ["kubectl-virt_advisor", "LICENSE"].map((name) => ({ from: name, to: "." })),
        },
      ],
    },
  };
}
