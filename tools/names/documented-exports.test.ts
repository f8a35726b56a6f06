import { expect, test } from "vitest";
import { undocumentedExports } from "./documented-exports.ts";

const undocumented = (files: Readonly<Record<string, string>>) =>
  undocumentedExports("packages/a/src/index.ts", (file) => files[file.replace("packages/a/src/", "")]);

test("reports exported names without a doc comment, with the file of their declaration", () => {
  const text = [
    "/** Returns one. */\nexport function documented() {}",
    "// Not a doc comment.\nexport const plain = 1;",
    "export async function bare() {}",
    "export type Unexported = 1;",
  ].join("\n");
  const index = 'export {\n  bare,\n  documented,\n  plain,\n} from "./deep/b.ts";\nexport class Own {}\n';
  expect(undocumented({ "index.ts": index, "deep/b.ts": text })).toEqual([
    "packages/a/src/index.ts: Own",
    "packages/a/src/deep/b.ts: plain",
    "packages/a/src/deep/b.ts: bare",
  ]);
});

test("follows renamed, typed and starred exports through several files", () => {
  const files = {
    "index.ts": 'export { type A, inner as outer } from "./b.ts";\nexport * from "./c.ts";\n',
    "b.ts": 'export { type A, middle as inner } from "./d/e.ts";\n',
    "c.ts": "export abstract class C {}\nexport function* run() {}\n",
    "d/e.ts": "export type A = 1;\nexport const middle = 1;\nexport const hidden = 1;\n",
  };
  expect(undocumented(files)).toEqual([
    "packages/a/src/d/e.ts: A",
    "packages/a/src/d/e.ts: middle",
    "packages/a/src/c.ts: C",
    "packages/a/src/c.ts: run",
  ]);
});

test("leaves out exports of other packages, which their own index covers", () => {
  expect(undocumented({ "index.ts": 'export { a } from "@virt/b";\nexport type { B } from "@virt/c";\n' })).toEqual([]);
});
