import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

const root = new URL("../../../", import.meta.url).pathname;
const files = globSync(["{apps,packages}/*/src/**/*.{ts,tsx}", "catalog/**/*.ts", "tools/{demo,dev,deploy}/*.ts"], {
  cwd: root,
})
  .filter((file) => !/\.test\.ts$|\/testing\/|\/testkit\/|completion-script/u.test(file))
  .toSorted();

function filledIn(word: string): string {
  if (word.startsWith("-")) return word;
  if (/hash/iu.test(word)) return "0123456789ab";
  if (word === "KEY=VALUE") return "mode=Predictive";
  return word.replaceAll(/\$\{.*?\}|^[A-Z]+$/gu, "x");
}

const hints = files
  .flatMap((file) =>
    [
      ...readFileSync(`${root}${file}`, "utf8")
        .replaceAll(/^ *(?:\/\/|\/?\*).*$/gmu, "")
        .matchAll(/(?:\$\{(?:\w+\.)?program\}|kubectl virt-advisor) (?=([a-z]+(?: [^`"'\n]*)?))/gu),
    ].map(([, text = ""]) => ({
      file,
      hint: text.replace(/[,;.](?= |$).*| (?:or|to|and|then|with|again|shows)\b.*|\).*/u, "").trim(),
    })),
  )
  .filter(({ hint }) => /^[a-z]+(?: |$)/u.test(hint) && !hint.startsWith("help"));

test("finds plugin commands in the product texts", () => {
  expect(hints.length).toBeGreaterThan(10);
});

test.each(hints)("the plugin accepts `$hint`, printed by $file", ({ hint }) => {
  const words = hint.split(" ").map(filledIn);
  expect(readArguments(words, "kubectl virt-advisor")).toMatchObject({ kind: "run" });
});
