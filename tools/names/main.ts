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

for (const line of ambiguous) process.stdout.write(`means two things: ${line}. Next: rename one of them.\n`);
for (const line of retired)
  process.stdout.write(`retired word: ${line}. Next: use the word that Kubernetes has for it.\n`);
process.exitCode = ambiguous.length + retired.length === 0 ? 0 : 1;
