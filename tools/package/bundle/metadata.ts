import type { KubeObject } from "@virt/objects";
import { packageName } from "./csv.ts";

/** The channel for releases without support, of OLM's conventional candidate, fast and stable. */
export const channel = "candidate";

const places = {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": packageName,
  "operators.operatorframework.io.bundle.channels.v1": channel,
  "operators.operatorframework.io.bundle.channel.default.v1": channel,
  "operators.operatorframework.io.test.mediatype.v1": "scorecard+v1",
  "operators.operatorframework.io.test.config.v1": "tests/scorecard/",
};

export const metadata = { annotations: places };

/** Lists manifests that OLM skips if the cluster does not serve their kind. Only OpenShift serves ConsolePlugins. */
export function optionalManifests(console: readonly KubeObject[]) {
  const manifests = console
    .filter(({ kind }) => kind === "ConsolePlugin")
    .map(({ apiVersion, kind, metadata: { name } }) => ({ group: apiVersion.split("/")[0] ?? "", kind, name }));
  return { properties: [{ type: "olm.manifests.optional", value: { manifests } }] };
}

export const dockerfile = `\
# The bundle as an image, for a catalog of OLM. Generated (make bundle).
FROM scratch
${Object.entries(places)
  .map(([key, value]) => `LABEL ${key}=${value}`)
  .join("\n")}
COPY bundle/manifests /manifests/
COPY bundle/metadata /metadata/
COPY bundle/tests/scorecard /tests/scorecard/
`;
