// `make counts`: counts the product and its tests in the working tree and, with BASE=<commit>, also in that commit.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { countProduct, countsTable, type SourceFile } from "./count-product.ts";

const folders = ["packages", "apps", "catalog", "test"];
const base = process.env["BASE"] || undefined;
const columns = [
  ...(base === undefined ? [] : [{ title: base.slice(0, 12), counts: countProduct(sourcesAt(base)) }]),
  { title: "working tree", counts: countProduct(sourcesNow()) },
];
process.stdout.write(countsTable(columns));

function sourcesNow(): readonly SourceFile[] {
  const listed = git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...folders]).toString();
  return sourcesIn(listed)
    .filter((file) => existsSync(file))
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function sourcesAt(commit: string): readonly SourceFile[] {
  const files = sourcesIn(git(["ls-tree", "-r", "-z", "--name-only", commit, ...folders]).toString());
  const contents = git(["cat-file", "--batch"], files.map((file) => `${commit}:${file}\n`).join(""));
  let at = 0;
  return files.map((file) => {
    const end = contents.indexOf("\n", at);
    const size = Number(contents.subarray(at, end).toString().split(" ")[2]);
    at = end + size + 2;
    return { file, text: contents.subarray(end + 1, end + 1 + size).toString() };
  });
}

function sourcesIn(listed: string): readonly string[] {
  return listed
    .split("\0")
    .filter((file) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$|^(catalog|test)\/.*\.tsx?$/.test(file));
}

function git(args: readonly string[], input = ""): Buffer {
  return execFileSync("git", args, { input, maxBuffer: 2 ** 28, stdio: ["pipe", "pipe", "inherit"] });
}
