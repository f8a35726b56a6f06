// Builds the plugin of OpenShift's console into dist/console-plugin (docs/decisions/0080-console-plugin.md).

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type EmbeddedPage, embedPages } from "./console-pages.ts";
import type { ConsoleOptions } from "./option-defaults.ts";

/** `sources`: the source files inside the plugin. */
export type BuiltPlugin = { readonly embedded: readonly EmbeddedPage[]; readonly sources: readonly string[] };

const app = join("apps", "console");
const folder = join("dist", "console-plugin");
/** A file that is part of the entry script, but that webpack does not list. */
const webpackRuntime = join("node_modules", "webpack", "lib", "runtime");

export async function buildPlugin(version: string, options: ConsoleOptions): Promise<BuiltPlugin> {
  const builder = fork("build-plugin.ts", {
    cwd: app,
    // The SDK hashes the entry script's name only for production. webpack finds the SDK's loader only by NODE_PATH.
    env: { ...process.env, NODE_ENV: "production", NODE_PATH: resolve(app, "node_modules") },
    silent: true,
  });
  const output = readOutput(builder);
  const closed = once(builder, "close") as Promise<[code: number | null]>;
  let sources: readonly string[] = [];
  builder.once("message", (files) => {
    sources = files as readonly string[];
  });
  builder.send({
    folder: resolve(folder),
    version,
    define: { OPTION_DEFAULTS: JSON.stringify(options.defaults), OPTION_FORMS: JSON.stringify(options.forms) },
  });
  const [code] = await closed;
  if (code !== 0) throw new Error(`cannot build the console plugin:\n${await output}`);
  return { embedded: embedPages(folder), sources: [...sources.map((file) => relative(".", file)), webpackRuntime] };
}

async function readOutput({ stdout, stderr }: ChildProcess): Promise<string> {
  if (stdout === null || stderr === null) return "";
  return (await Promise.all([text(stdout), text(stderr)])).join("");
}
