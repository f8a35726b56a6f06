// Checks that the differences from the guide are exactly those in the specification.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";

export type AllowedDifference = {
  readonly reason: string;
  readonly source: string;
  readonly in: readonly (string | number)[];
  readonly lines: string;
};

const allowed = load(
  readFileSync(new URL("allowed-differences.yaml", import.meta.url), "utf8"),
) as readonly AllowedDifference[];

const placeholders: Readonly<Record<string, string>> = {
  "<hash>": "[0-9a-f]{64}",
  "<plan>": "[0-9a-f]{12}",
  "<time>": "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ",
  "<version>": "v\\d+\\.\\d+\\.\\d+",
  "<configuration>": "rendered-worker-[0-9a-f]{32}",
  "<data>": "data:text/plain;charset=utf-8;base64,[A-Za-z0-9+/]+=*",
};

export type DifferenceCheck = {
  readonly unexpected: readonly string[];
  /** Listed differences that did not occur. */
  readonly missing: readonly string[];
};

export function checkDifferences(
  section: string,
  seen: readonly string[],
  list: readonly AllowedDifference[] = allowed,
): DifferenceCheck {
  const expected = list
    .filter((one) => one.in.some((each) => `${each}` === section))
    .flatMap(({ lines }) => lines.trimEnd().split("\n"));
  const patterns = expected.map(patternOf);
  const left = [...seen];
  const missing = expected.filter((_, index) => {
    const found = left.findIndex((line) => patterns[index]?.test(line));
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
  return { unexpected: left, missing };
}

function patternOf(line: string): RegExp {
  const parts = line
    .split(/(<\w+>)/)
    .map((part) => placeholders[part] ?? part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join("")}$`);
}
