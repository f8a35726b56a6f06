// What OLM reads before it opens a bundle: annotations, and the same as labels of the bundle's image.

import { packageName } from "./csv.ts";

const places = {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": packageName,
  "operators.operatorframework.io.bundle.channels.v1": "alpha",
  "operators.operatorframework.io.bundle.channel.default.v1": "alpha",
  "operators.operatorframework.io.test.mediatype.v1": "scorecard+v1",
  "operators.operatorframework.io.test.config.v1": "tests/scorecard/",
};

export const metadata = { annotations: places };

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
