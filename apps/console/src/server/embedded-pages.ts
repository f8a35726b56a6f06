// The built pages as data.

import { gunzipSync } from "node:zlib";

/** Keys are paths such as `/console.js`. */
export type ConsolePages = ReadonlyMap<string, PageFile>;

export type PageFile = { readonly type: string; readonly gzipped: Buffer };

/** The form in which the build embeds a page. The content is gzipped and in base64. */
export type EmbeddedPage = readonly [path: string, type: string, content: string];

export function readEmbeddedPages(embedded: readonly EmbeddedPage[]): ConsolePages {
  return new Map(embedded.map(([path, type, content]) => [path, { type, gzipped: Buffer.from(content, "base64") }]));
}

/** For clients that do not accept gzip. */
export function plainContent({ gzipped }: PageFile): Buffer {
  return gunzipSync(gzipped);
}
