// Tests that the page texts contain no commands: pages show commands on demand.

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("./", import.meta.url).pathname;
const lines = globSync("{,*-}strings.ts", { cwd: folder })
  .flatMap((file) => readFileSync(`${folder}${file}`, "utf8").split("\n"))
  .filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line));

test("page sentences contain no command except the sign-in hint", () => {
  expect(lines.length).toBeGreaterThan(300);
  const inSentences = lines.filter((line) => /[^"`](?:kubectl|oc|virtctl) [a-z]/u.test(line));
  expect(inSentences.map((line) => line.trim())).toEqual([
    expect.stringContaining("Sign in again with your usual command (for example oc login)"),
  ]);
});
