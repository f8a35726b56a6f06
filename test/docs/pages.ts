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
