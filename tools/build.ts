// `make build`: bundles each app into dist/, with the operator's launcher, licenses and bill of materials.

import { chmodSync, copyFileSync, existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { bundling, pluginBundling } from "./bundling.ts";
import { buildPages } from "./console-pages.ts";
import { buildPlugin } from "./console-plugin.ts";
import { readConsoleOptions } from "./option-defaults.ts";
import { type ShippedProgram, writePapers, writePluginNotices } from "./package/sbom/papers.ts";
import { bundledSources } from "./package/sbom/shipped.ts";

const apps = globSync("apps/*/src/main.ts").toSorted();
const pluginServer = join("apps", "console", "src", "plugin-server", "main.ts");
const plugin = join("dist", "kubectl-virt_advisor");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const consoleOptions = await readConsoleOptions();
const [pages, consolePlugin] = await Promise.all([buildPages(consoleOptions), buildPlugin(version, consoleOptions)]);
const pluginBytes = consolePlugin.embedded.reduce(
  (sum, [, , content]) => sum + Buffer.byteLength(content, "base64"),
  0,
);
process.stdout.write(`  ${join("dist", "console-plugin")} ${Math.round(pluginBytes / 1000)} kB gzipped\n`);
const shipped: ShippedProgram[] = [];

for (const entry of [...apps, pluginServer]) {
  const app = dirname(dirname(entry));
  const isPlugin = app === "apps/cli";
  const name = entry === pluginServer ? "console-plugin" : basename(app);
  const program = isPlugin ? plugin : join("dist", `virt-${name}.mjs`);
  const launcher = join(app, "launch.mjs");
  // The launcher is not bundled, because every Node version must be able to parse it to report that the version is too
  // old.
  const outfile = existsSync(launcher) ? program.replace(".mjs", "-bundle.mjs") : program;
  const { metafile } = await build({
    ...bundling,
    ...(isPlugin && pluginBundling),
    entryPoints: [entry],
    outfile,
    metafile: true,
    legalComments: "none",
    define: {
      BUILD_VERSION: JSON.stringify(`v${version}`),
      ...(isPlugin && {
        CONSOLE_PAGES: JSON.stringify(pages.embedded),
        PROFILE_OPTIONS: JSON.stringify(consoleOptions.defaults),
        TEXT_OPTIONS: JSON.stringify(consoleOptions.texts),
      }),
      ...(entry === pluginServer && { PLUGIN_FILES: JSON.stringify(consolePlugin.embedded) }),
    },
  });
  if (isPlugin) {
    chmodSync(outfile, 0o755);
    writePluginNotices(join("dist", "plugin", "THIRD_PARTY_NOTICES"), [
      ...bundledSources(metafile),
      ...bundledSources(pages.metafile),
    ]);
  }
  if (outfile !== program) copyFileSync(launcher, program);
  if (app === "apps/operator")
    shipped.push({ file: program, sources: [] }, { file: outfile, sources: bundledSources(metafile) });
  if (entry === pluginServer)
    shipped.push({ file: outfile, sources: [...bundledSources(metafile), ...consolePlugin.sources] });
  process.stdout.write(`  ${outfile} ${Math.round(statSync(outfile).size / 1000)} kB\n`);
}
writePapers("dist", shipped, version);
