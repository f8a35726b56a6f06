// `make build`: bundles each app into one minified ES module under dist/, with the operator's licences and bill of materials.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { bundling } from "./bundling.ts";
import { writePapers } from "./package/sbom/papers.ts";

const apps = globSync("apps/*/src/main.ts").toSorted();

for (const entry of apps) {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const app = dirname(dirname(entry));
  const outfile = join("dist", `virt-${app.slice("apps/".length)}.mjs`);
  const { metafile } = await build({
    ...bundling,
    entryPoints: [entry],
    outfile,
    metafile: true,
    legalComments: "none",
    define: { BUILD_VERSION: JSON.stringify(`v${version}`) },
  });
  if (app === "apps/operator") writePapers({ file: outfile, metafile, version });
  process.stdout.write(`  ${outfile} ${Math.round(statSync(outfile).size / 1000)} kB\n`);
}
if (!existsSync("apps")) process.stdout.write("  there is no app to bundle yet\n");
