// The esbuild options that bundle a program into one minified ES module.

import { isBuiltin } from "node:module";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * Loads Node's modules by name and reads only the exports in use. A regular import reads all exports, and reading
 * `WebSocket` in node:http loads all of fetch, which takes megabytes.
 */
const builtins: Plugin = {
  name: "builtins",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^(node:)?[a-z_/]+[0-9]?$/ }, ({ path, kind }) =>
      isBuiltin(path) ? { path: path.replace(/^node:/, ""), namespace: kind } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: "require-call" }, ({ path }) => ({
      contents: `module.exports = ${loadModule(path)};`,
    }));
    bundler.onLoad({ filter: /.*/, namespace: "import-statement" }, ({ path }) => ({ contents: moduleOf(path) }));
  },
};

function loadModule(name: string): string {
  return `process.getBuiltinModule("node:${name}")`;
}

function moduleOf(name: string): string {
  const names = Object.keys(process.getBuiltinModule(`node:${name}`) as object).filter((key) =>
    /^[a-z_]\w*$/i.test(key),
  );
  const exports = names.map((key) => `const $${key} = /* @__PURE__ */ read("${key}"); export { $${key} as ${key} };`);
  return `const all = ${loadModule(name)}; const read = (key) => all[key]; export default all;\n${exports.join("\n")}`;
}

/** Replaces modules that prom-client and pino load but we never use with empty ones. This saves 2 MB. */
const unused: Plugin = {
  name: "unused",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^thread-stream$/ }, ({ path }) => ({
      path,
      namespace: "unused",
    }));
    bundler.onResolve({ filter: /^\.\/lib\/(cluster|defaultMetrics|pushgateway|summary)$/ }, ({ path, importer }) =>
      importer.includes("/prom-client/") ? { path, namespace: "unused" } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "" }));
  },
};

export const bundling = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "esm",
  plugins: [unused, builtins],
} satisfies BuildOptions;

/**
 * The kubectl plugin is one file without an extension. Node treats it as a script or a module depending on its folder,
 * so it must be valid as both. The tests run it with Node 20.16, the oldest version with getBuiltinModule.
 */
export const pluginBundling = {
  target: "node20",
  format: "iife",
  banner: {
    js: '#!/usr/bin/env node\nif (!process.getBuiltinModule) { console.error("error: kubectl virt-advisor needs Node 20.16 or later, and this is " + process.version); process.exit(1); }',
  },
} satisfies BuildOptions;

/**
 * Node flags of the image and of every measured program. V8 collects early and runs without helper threads, which do
 * not help a pod with a fraction of a core. It records type feedback from the first call, because corrections are rare
 * and urgent. It collects short-lived objects during marking, which bounds memory while a list arrives. It releases
 * nearly empty pages.
 */
export const nodeFlags = [
  "--max-semi-space-size=2",
  "--optimize-for-size",
  "--single-threaded",
  "--no-lazy-feedback-allocation",
  "--no-separate-gc-phases",
  "--compact-on-every-full-gc",
];

/**
 * Makes glibc allocate buffers of this size or larger with mmap, and return them to the system when freed. On the heap,
 * they would leave permanent gaps.
 */
export const nodeEnvironment = { MALLOC_MMAP_THRESHOLD_: "16384", MALLOC_TRIM_THRESHOLD_: "65536" };
