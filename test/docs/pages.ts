import { globSync, readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";

export type Page = {
  readonly path: string;
  readonly text: string;
};

const installed = ["**/node_modules/**", ".make/**"];

export const pages: readonly Page[] = globSync("**/*.md", { cwd: inRepository(), exclude: installed })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(inRepository(path), "utf8") }));

/** Returns an empty text if the page does not exist. */
export function textOf(path: string): string {
  return pages.find((page) => page.path === path)?.text ?? "";
}
