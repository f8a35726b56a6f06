import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exitCodes } from "./verb.ts";
import { globalFlags, verbs } from "./verbs.ts";

const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8");

test.each(verbs)("docs/command-line.md describes $name like its help", ({ name, takes, description, flags }) => {
  const row = page
    .split("\n")
    .find((line) => line.startsWith(`| \`${takes === undefined ? name : `${name} ${takes}`}\` |`));
  expect(row).toContain(description);
  for (const flag of Object.keys(flags)) expect(row).toContain(`--${flag}`);
});

test("docs/command-line.md lists every global flag and exit code", () => {
  for (const [flag, { help }] of Object.entries(globalFlags))
    expect(page).toMatch(new RegExp(`--${flag}\\b.*${help.slice(0, 12)}`, "u"));
  for (const code of Object.values(exitCodes)) expect(page).toContain(`| ${code} |`);
});
