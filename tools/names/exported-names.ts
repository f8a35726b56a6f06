export type ExportedName = { readonly file: string; readonly name: string };

/** Excludes tests and their support, which may reuse names. */
export function isProduct(file: string): boolean {
  return !/\.test\.tsx?$|\/testing\/|\/node_modules\/|^packages\/testkit\//.test(file);
}

const declaration =
  /^export (?:declare )?(?:async )?(?:type|function\*?|const|class|interface|abstract class) ([A-Za-z]\w*)/gm;

export function exportedNames(file: string, text: string): readonly ExportedName[] {
  return [...text.matchAll(declaration)].map(([, name = ""]) => ({ file, name }));
}

const shared: readonly { readonly names: readonly string[]; readonly within: RegExp; readonly reason: string }[] = [
  {
    names: ["options", "Options", "defaults", "reads", "inputs", "Wanted", "wantedOf"],
    within: /^catalog\/profiles\/[a-z-]+\//,
    reason: "every profile folder has these parts",
  },
];

/** Returns lines such as `Scene: apps/a.ts, apps/b.ts` for names with two meanings. */
export function ambiguousNames(all: readonly ExportedName[]): readonly string[] {
  const byName = Map.groupBy(all, ({ name }) => name);
  return [...byName].flatMap(([name, places]) => {
    const isShared = shared.some(
      ({ names, within }) => names.includes(name) && places.every(({ file }) => within.test(file)),
    );
    const files = new Set(places.map(({ file }) => file));
    return files.size < 2 || isShared ? [] : [`${name}: ${[...files].toSorted().join(", ")}`];
  });
}
