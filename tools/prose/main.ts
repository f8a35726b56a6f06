// `make check-prose`: reports phrases that writing for users, docs, comments and test names avoids.

import { readDocuments, readSources, readSupport } from "../names/read-sources.ts";
import { findPhrases } from "./find-phrases.ts";

const exceptions: readonly { readonly within: RegExp; readonly reason: string }[] = [
  { within: /^tools\/prose\//, reason: "has the phrases, and tests them" },
  { within: /^Makefile$/, reason: "is not a document" },
  {
    within: /\/virt-higher-density\/swap-config\.ts$/,
    reason: "has the script of a MachineConfig, and a change of it reboots nodes",
  },
];

const findings = [...readSources(), ...readSupport(), ...readDocuments()]
  .filter(({ file }) => !exceptions.some(({ within }) => within.test(file)))
  .flatMap(({ file, text }) => findPhrases(file, text).map((finding) => ({ file, ...finding })));

for (const { file, line, phrase, replacement } of findings)
  process.stdout.write(`${file}:${line}: "${phrase}". Use instead: ${replacement}.\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
