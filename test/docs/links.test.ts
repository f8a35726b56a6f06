import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { inRepository } from "@virt/testkit";
import { describe, expect, test } from "vitest";
import { anchorsOf, linksOf, pathsNamed, targetsNamed } from "./links.ts";
import { pages, textOf } from "./pages.ts";

const folders = readdirSync(inRepository(), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const makefile = readFileSync(inRepository("Makefile"), "utf8");
const targets = [...makefile.matchAll(/^([a-z-]+(?: [a-z-]+)*):/gm)].flatMap(([, names = ""]) => names.split(" "));
const helpLines = makefile.split("\n").filter((line) => /^[a-z-]+:.*## /.test(line));

function isBroken(page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? page : normalize(join(dirname(page), file));
  if (!existsSync(inRepository(path))) return true;
  return anchor !== undefined && !anchorsOf(readFileSync(inRepository(path), "utf8")).includes(anchor);
}

describe.each(pages)("$path", ({ path, text }) => {
  test("links only to existing pages and anchors", () => {
    expect(linksOf(text).filter((link) => isBroken(path, link))).toEqual([]);
  });

  test("names only existing files and make targets", () => {
    const isThere = (file: string) => globSync(file, { cwd: inRepository() }).length > 0;
    // Guides also name folders that the reader creates, according to their code.
    const isMadeByReader = (file: string) => text.includes(`name: "${basename(file)}"`);
    // The help of a make target names the file that it creates.
    const isMadeByTarget = (file: string) => helpLines.some((line) => line.includes(file));
    const missing = pathsNamed(text, folders).filter(
      (file) => !isThere(file) && !isMadeByReader(file) && !isMadeByTarget(file),
    );
    const unknown = targetsNamed(text).filter((target) => !targets.includes(target));
    expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
  });
});

test("every guide is reachable from the README", () => {
  const seen = new Set<string>();
  const follow = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const link of linksOf(textOf(path))) follow(normalize(join(dirname(path), link.split("#")[0] ?? "")));
  };
  follow("README.md");
  const guides = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
  expect(guides.filter((path) => !seen.has(path))).toEqual([]);
});

describe("the page parser", () => {
  const text = [
    "# A `b` c!",
    "[one](docs/x.md#a-b-c) and [two](https://example.org) `config/crd/<name>.yaml` `make help`",
    "```sh",
    "make no-such IMG=x # [not](a-link)",
    "```",
    "## A b c",
  ].join("\n");

  test("finds only links, anchors, files and make targets", () => {
    expect(linksOf(text)).toEqual(["docs/x.md#a-b-c"]);
    expect(anchorsOf(text)).toEqual(["a-b-c", "a-b-c-1"]);
    expect(pathsNamed(text, ["config"])).toEqual(["config/crd/*.yaml"]);
    expect(targetsNamed(text)).toEqual(["no-such", "help"]);
  });
});
