// The built pages as data: what the server sends besides data of the cluster.

import { gunzipSync } from "node:zlib";

/** By path, such as `/console.js`. */
export type ConsolePages = ReadonlyMap<string, PageFile>;

export type PageFile = { readonly type: string; readonly gzipped: Buffer };

/** As the build writes them into a program: path, type and content, gzipped, in base64. */
export type EmbeddedPage = readonly [path: string, type: string, content: string];

/** Reads what the build embedded. */
export function readEmbeddedPages(embedded: readonly EmbeddedPage[]): ConsolePages {
  return new Map(embedded.map(([path, type, content]) => [path, { type, gzipped: Buffer.from(content, "base64") }]));
}

/** For clients that do not say that they take gzip. */
export function plainContent({ gzipped }: PageFile): Buffer {
  return gunzipSync(gzipped);
}
