// `make counts`: counts the product in the working tree and, with BASE=<commit>, also in that commit.

import { execFileSync } from "node:child_process";
import { countProduct, countsTable, type SourceFile } from "./count-product.ts";
import { readSources } from "./read-sources.ts";

const base = process.env["BASE"] || undefined;
const before = base === undefined ? [] : [{ title: base.slice(0, 12), counts: countProduct(sourcesAt(base)) }];
process.stdout.write(countsTable([...before, { title: "working tree", counts: countProduct(readSources()) }]));

function sourcesAt(commit: string): readonly SourceFile[] {
  const listed = git(["ls-tree", "-r", "-z", "--name-only", commit, "packages", "apps", "catalog"]).toString();
  const files = listed
    .split("\0")
    .filter((file) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$|^catalog\/.*\.ts$/.test(file));
  const contents = git(["cat-file", "--batch"], files.map((file) => `${commit}:${file}\n`).join(""));
  let at = 0;
  return files.map((file) => {
    const end = contents.indexOf("\n", at);
    const size = Number(contents.subarray(at, end).toString().split(" ")[2]);
    at = end + size + 2;
    return { file, text: contents.subarray(end + 1, end + 1 + size).toString() };
  });
}

function git(args: readonly string[], input = ""): Buffer {
  return execFileSync("git", args, { input, maxBuffer: 2 ** 28, stdio: ["pipe", "pipe", "inherit"] });
}
