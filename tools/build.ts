// `make build`: bundles each app into one minified ES module under dist/.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const apps = globSync("apps/*/src/main.ts").toSorted();

for (const entry of apps) {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const app = dirname(dirname(entry));
  const outfile = join("dist", `virt-${app.slice("apps/".length)}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    legalComments: "none",
    define: { BUILD_VERSION: JSON.stringify(`v${version}`) },
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  process.stdout.write(`  ${outfile} ${Math.round(statSync(outfile).size / 1000)} kB\n`);
}
if (!existsSync("apps")) process.stdout.write("  there is no app to bundle yet\n");
