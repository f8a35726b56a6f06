export type { AdoptionServer } from "./adoption-route.ts";
export { type ConsolePages, type EmbeddedPage, plainContent, readEmbeddedPages } from "./embedded-pages.ts";
export { type ServeConsoleOptions, type ServedConsole, serveConsole } from "./serve-console.ts";
