import { existsSync, readFileSync } from "node:fs";
import { undocumentedExports } from "./documented-exports.ts";
import { ambiguousNames, exportedNames, isProduct } from "./exported-names.ts";
import { readDocuments, readSources, readSupport } from "./read-sources.ts";
import { retiredNames, retiredWords } from "./retired-words.ts";

const sources = readSources();
const product = sources.filter(({ file }) => isProduct(file));
const code = [...sources, ...readSupport()];
const ambiguous = ambiguousNames(product.flatMap(({ file, text }) => exportedNames(file, text)));
const retired = [
  ...[...code, ...readDocuments()].flatMap(({ file, text }) => retiredWords(file, text)),
  ...code.flatMap(({ file, text }) => retiredNames(file, text)),
];
const isIndex = (file: string) => /^packages\/[^/]+\/src\/index\.ts$|^catalog\/index\.ts$/.test(file);
const readText = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
const undocumented = sources.flatMap(({ file }) => (isIndex(file) ? undocumentedExports(file, readText) : []));

for (const line of ambiguous) process.stdout.write(`means two things: ${line}. Next: rename one of them.\n`);
for (const line of retired)
  process.stdout.write(`retired word: ${line}. Next: use the word that Kubernetes has for it.\n`);
for (const line of undocumented)
  process.stdout.write(`no doc comment: ${line}. Next: state its contract above the declaration.\n`);
process.exitCode = ambiguous.length + retired.length + undocumented.length === 0 ? 0 : 1;
