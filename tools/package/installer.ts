// Generates dist/install.yaml: both controllers in one file for `kubectl apply -f`.

import { type KubeObject, writeYaml } from "@virt/objects";
import type { PackageFiles } from "./files.ts";

const words = `\
# Installs both controllers: kubectl apply -f install.yaml
# The image is a placeholder in the committed file: make build-installer IMG=<your image> writes yours.
# Generated from config/default (make build-installer). Change config/default instead.
`;

export function installerFiles(objects: readonly KubeObject[]): PackageFiles {
  return {
    folders: [],
    texts: { "dist/install.yaml": `${words}${objects.map((object) => writeYaml(object)).join("---\n")}` },
  };
}
