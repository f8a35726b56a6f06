// Builds the plugin of OpenShift's console into dist/console-plugin: a manifest, an entry script, modules and styles. React, the
// router and the SDK are left out of them: the console lends its own (docs/decisions/0080-the-console-plugin-without-webpack.md).

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { type EmbeddedPage, embedPages } from "./console-pages.ts";
import type { ConsoleOptions } from "./option-defaults.ts";

export type BuiltPlugin = { readonly embedded: readonly EmbeddedPage[]; readonly metafiles: readonly Metafile[] };

const sources = join("apps", "console", "src", "plugin");
const folder = join("dist", "console-plugin");
/** Without what only the build knows. Console 4.22 is the first with React 18, so the plugin depends on it. */
const pluginManifest = JSON.parse(readFileSync(join(sources, "manifest.json"), "utf8")) as { readonly name: string };
const pluginName = pluginManifest.name;
/** What the console has to lend: all others are ours. */
const sharedModules = ["react", "react-router", "@openshift-console/dynamic-plugin-sdk"];
/** By the name that code references of the manifest begin with. */
const modules = { pages: "plugin-pages.tsx", actions: "actions.ts", templates: "templates.ts" };

/** A package name alone would take `react/jsx-runtime` with it, which the console does not lend. */
const leaveShared: Plugin = {
  name: "leave-shared",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      sharedModules.includes(path) ? { path, external: true } : undefined,
    );
    // The console has PatternFly's styles already; ours follow its tokens, and so its themes.
    bundler.onLoad({ filter: /node_modules\/.*\.css$/ }, () => ({ contents: "", loader: "css" }));
  },
};

const common = {
  outdir: folder,
  bundle: true,
  minify: true,
  metafile: true,
  platform: "browser",
  target: "es2023",
  jsx: "automatic",
  legalComments: "none",
  entryNames: "[name]-[hash]",
} as const satisfies BuildOptions;

export async function buildPlugin(version: string, options: ConsoleOptions): Promise<BuiltPlugin> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: {
      ...Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, join(sources, file)])),
      styles: join(sources, "plugin.css"),
    },
    // Each module is a function that is given what it requires, and is called once the console has lent it.
    format: "cjs",
    banner: { js: "export const load = (require) => { const module = { exports: {} };" },
    footer: { js: "return module.exports; };" },
    define: {
      "process.env.NODE_ENV": '"production"',
      OPTION_DEFAULTS: JSON.stringify(options.defaults),
      OPTION_FORMS: JSON.stringify(options.forms),
    },
    loader: { ".svg": "dataurl", ".woff2": "empty" },
    plugins: [leaveShared],
  });
  // What is left of PatternFly's styles.
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  for (const file of files.filter((name) => name.startsWith("pages-") && extname(name) === ".css"))
    rmSync(join(folder, file));
  const fileOf = (name: string, type: string) => {
    const file = files.find((other) => other.startsWith(`${name}-`) && extname(other) === type);
    if (file === undefined) throw new Error(`esbuild wrote no ${type} of ${name}`);
    return file;
  };
  const entry = await build({
    ...common,
    entryPoints: { "plugin-entry": join(sources, "plugin-entry.ts") },
    format: "iife",
    define: {
      PLUGIN_NAME: JSON.stringify(pluginName),
      PLUGIN_MODULES: JSON.stringify(
        Object.fromEntries(Object.keys(modules).map((name) => [name, fileOf(name, ".js")])),
      ),
      PLUGIN_STYLES: JSON.stringify(fileOf("styles", ".css")),
      SHARED_MODULES: JSON.stringify(sharedModules),
    },
  });
  writeManifest(
    version,
    Object.keys(entry.metafile.outputs).map((path) => basename(path)),
  );
  return { embedded: embedPages(folder), metafiles: [metafile, entry.metafile] };
}

function writeManifest(version: string, loadScripts: readonly string[]): void {
  const hash = createHash("sha256");
  for (const file of readdirSync(folder).toSorted()) hash.update(file).update(readFileSync(join(folder, file)));
  const manifest = {
    ...pluginManifest,
    version,
    baseURL: `/api/plugins/${pluginName}/`,
    loadScripts,
    buildHash: hash.digest("hex").slice(0, 20),
  };
  writeFileSync(join(folder, "plugin-manifest.json"), JSON.stringify(manifest));
}
