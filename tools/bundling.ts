// How a program becomes one file: a minified ES module in which Node's own modules are loaded by name instead of imported.

import { isBuiltin } from "node:module";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * An import reads every export of a Node module, and some of them load others when they are read: `WebSocket` of node:http
 * brings all of fetch, which takes megabytes and is never used. Here only that is read which somebody names.
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

/** What prom-client and pino load at their start and nothing here calls: its place in the bundle is empty. That saves 2 MB. */
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
 * The kubectl plugin is one file without an extension, which Node reads as a script or as a module, as the folder says in which
 * somebody put it: it is written so that it is both. getBuiltinModule is in Node 20.16 and later, the oldest that tests run it with.
 */
export const pluginBundling = {
  target: "node20",
  format: "iife",
  banner: {
    js: '#!/usr/bin/env node\nif (!process.getBuiltinModule) { console.error("error: kubectl virt-advisor needs Node 20.16 or later, and this is " + process.version); process.exit(1); }',
  },
} satisfies BuildOptions;

/**
 * How the image starts it, and every side of a comparison: V8 collects early instead of growing, and has no helper threads,
 * from which a pod with a fraction of a core gains nothing. A correction is rare and urgent: what runs seldom is not run
 * blind the first times. V8 goes on collecting short-lived objects while it marks the others: else the young generation grows
 * without bound for as long as a list comes in. Pages that are nearly empty are given back.
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
 * What it is started with in the environment: the C library maps buffers from this size on, and unmaps them when they are
 * freed. In its heap they leave gaps that stay for good.
 */
export const nodeEnvironment = { MALLOC_MMAP_THRESHOLD_: "16384", MALLOC_TRIM_THRESHOLD_: "65536" };
