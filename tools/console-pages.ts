// Builds the console's pages: minified files in dist/console, and the same files as data to embed.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import type { ConsoleOptions } from "./option-defaults.ts";

/** Path, media type and gzipped content in base64, as the console's `readEmbeddedPages` expects. */
export type EmbeddedPage = readonly [path: string, type: string, content: string];

export type BuiltPages = { readonly embedded: readonly EmbeddedPage[]; readonly metafile: Metafile };

const sources = join("apps", "console", "src", "pages");
const folder = join("dist", "console");
const types: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

export async function buildPages(options: ConsoleOptions): Promise<BuiltPages> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: {
      console: join(sources, "main.tsx"),
      base: "@patternfly/react-core/dist/styles/base.css",
      own: join(sources, "console.css"),
    },
    outdir: folder,
    bundle: true,
    minify: true,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    jsx: "automatic",
    legalComments: "none",
    define: {
      "process.env.NODE_ENV": '"production"',
      OPTION_DEFAULTS: JSON.stringify(options.defaults),
      OPTION_FORMS: JSON.stringify(options.forms),
    },
    loader: { ".woff2": "file", ".svg": "dataurl", ".jpg": "empty", ".png": "empty" },
    assetNames: "[name]",
    // Omits old font formats, which no supported browser requests.
    external: ["*.woff", "*.ttf", "*.eot"],
  });
  // Later rules override earlier ones: first the base, then the components, then our own.
  const styles = ["base.css", "console.css", "own.css"].map((file) => readFileSync(join(folder, file), "utf8"));
  for (const file of ["base.css", "own.css"]) rmSync(join(folder, file));
  writeFileSync(join(folder, "console.css"), styles.join("\n"));
  for (const file of ["index.html", "icon.svg"]) cpSync(join(sources, file), join(folder, file));
  return { embedded: embedPages(folder), metafile };
}

export function embedPages(from: string): readonly EmbeddedPage[] {
  return readdirSync(from)
    .toSorted()
    .map((file): EmbeddedPage => {
      const content = gzipSync(readFileSync(join(from, file)), { level: 9 }).toString("base64");
      return [`/${file}`, types[extname(file)] ?? "application/octet-stream", content];
    });
}
