/** Returns the content of a file in the repository, or undefined if it does not exist. */
type ReadText = (file: string) => string | undefined;

const reExport = /^export (?:type )?(?:\{([^}]*)\}|\*) from "(\.[^"]+)";/gm;
const declaration =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:type|function\*?|const|class|interface) (?!\{)([A-Za-z]\w*)/gm;

/** Returns lines such as `packages/a/src/b.ts: name` for exports of `index` without a doc comment. */
export function undocumentedExports(index: string, read: ReadText): readonly string[] {
  return [...undocumentedIn(index, undefined, read)];
}

/** Skips exports of other packages, because the index of their own package covers them. */
function undocumentedIn(file: string, wanted: ReadonlySet<string> | undefined, read: ReadText): readonly string[] {
  const text = read(file) ?? "";
  const isWanted = (name: string) => wanted === undefined || wanted.has(name);
  const declared = [...text.matchAll(declaration)].filter(([, name = ""]) => isWanted(name));
  const documented = new Set(
    declared.filter(({ index }) => text.slice(0, index).endsWith("*/\n")).map(([, name = ""]) => name),
  );
  const own = new Set(declared.map(([, name = ""]) => name).filter((name) => !documented.has(name)));
  const others = [...text.matchAll(reExport)].flatMap(([, list, from = ""]) =>
    undocumentedIn(resolvePath(file, from), list === undefined ? wanted : namesIn(list, isWanted), read),
  );
  return [...[...own].map((name) => `${file}: ${name}`), ...others];
}

/** Returns the names in the other file: `a` for `a as b`. */
function namesIn(list: string, isWanted: (name: string) => boolean): ReadonlySet<string> {
  const pairs = list
    .split(",")
    .map((entry) => entry.trim().replace(/^type /, ""))
    .filter((entry) => entry !== "")
    .map((entry) => entry.split(" as "));
  return new Set(pairs.filter(([name = "", alias = name]) => isWanted(alias)).map(([name = ""]) => name));
}

function resolvePath(file: string, from: string): string {
  return new URL(from, `file:///${file}`).pathname.slice(1);
}
