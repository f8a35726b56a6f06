// Compares a workspace's imports with its package.json.

export type Manifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

export type SourceFile = { readonly file: string; readonly text: string };

const importForms = [
  /^(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"/gm,
  /^import\s*"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"\s*\)/g,
];

/** Returns the packages that a file imports. Excludes its own files and Node's modules. */
export function importedPackages(text: string): ReadonlySet<string> {
  const specifiers = importForms.flatMap((form) => [...text.matchAll(form)].map(([, specifier = ""]) => specifier));
  return new Set(
    specifiers
      .filter((specifier) => !/^(?:\.|node:)/.test(specifier))
      .map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")),
  );
}

/** Matches tests, their support, benchmarks, the console plugin's build, and options, which only generators read. */
function isDevelopmentOnly(file: string): boolean {
  return /\.test\.ts$|\/testing\/|^bench\/|\/build-plugin\.ts$|^catalog\/profiles\/[^/]+\/options\.ts$/.test(file);
}

export type ImportedPackages = {
  readonly dependencies: ReadonlyMap<string, string>;
  readonly devDependencies: ReadonlyMap<string, string>;
};

/** A package that product code imports is a dependency, even if tests also import it. */
export function importsOf(workspace: string, files: readonly SourceFile[]): ImportedPackages {
  const all = new Map<string, string>();
  const product = new Map<string, string>();
  for (const { file, text } of files) {
    for (const name of importedPackages(text)) {
      if (name === workspace) continue;
      if (!all.has(name)) all.set(name, file);
      if (!product.has(name) && !isDevelopmentOnly(file)) product.set(name, file);
    }
  }
  return { dependencies: product, devDependencies: new Map([...all].filter(([name]) => !product.has(name))) };
}

/** Returns one line per package that is imported but not declared in the right place, or declared but not imported. */
export function wrongDeclarations(manifest: Manifest, files: readonly SourceFile[]): readonly string[] {
  const imported = importsOf(manifest.name, files);
  return (["dependencies", "devDependencies"] as const).flatMap((place) => {
    const declared = Object.keys(manifest[place] ?? {});
    return [
      ...[...imported[place]]
        .filter(([name]) => !declared.includes(name))
        .map(([name, file]) => `${place} lack ${name}, which ${file} imports`),
      ...declared
        .filter((name) => !imported[place].has(name))
        .map((name) => `${place} have ${name}, which nothing imports that belongs there`),
    ];
  });
}

/** Returns one line per package that is declared in more than one version. */
export function unequalVersions(manifests: readonly Manifest[]): readonly string[] {
  const declared = manifests.flatMap(({ name: workspace, dependencies, devDependencies }) =>
    Object.entries({ ...devDependencies, ...dependencies }).map(([name, version]) => ({ workspace, name, version })),
  );
  return [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, places]) => {
    const isOne = places.every(({ version }) => version === places[0]?.version);
    return isOne ? [] : [`${name}: ${places.map(({ workspace, version }) => `${version} in ${workspace}`).join(", ")}`];
  });
}
