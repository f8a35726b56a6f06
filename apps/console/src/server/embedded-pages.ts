// The built pages, embedded in the program.

import { gunzipSync } from "node:zlib";

/** Keys are paths such as `/console.js`. */
export type ConsolePages = ReadonlyMap<string, PageFile>;

export type PageFile = { readonly type: string; readonly gzipped: Buffer };

/** A page as the build embeds it. The content is compressed with gzip and encoded in base64. */
export type EmbeddedPage = readonly [path: string, type: string, content: string];

export function readEmbeddedPages(embedded: readonly EmbeddedPage[]): ConsolePages {
  return new Map(embedded.map(([path, type, content]) => [path, { type, gzipped: Buffer.from(content, "base64") }]));
}

export function plainContent({ gzipped }: PageFile): Buffer {
  return gunzipSync(gzipped);
}
