// Builds the OpenShift console plugin with the console's SDK. Run it in this folder, because the SDK reads the
// supported PatternFly versions from package.json in the working directory.

import { type BinaryToTextEncoding, createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConsoleRemotePlugin } from "@openshift-console/dynamic-plugin-sdk-webpack";
import { EsbuildPlugin } from "esbuild-loader";
import webpack, { type Chunk, type Configuration, type StatsModule } from "webpack";

/** The message that starts a build. The build process replies with a list of the source files in the plugin. */
type PluginBuild = {
  readonly folder: string;
  readonly version: string;
  readonly define: Readonly<Record<string, string>>;
};

const sources = join(import.meta.dirname, "src", "plugin");
const root = join(import.meta.dirname, "..", "..");
const target = "es2023";

/** A hash function whose result does not depend on the checkout folder. webpack hashes absolute paths, which would. */
class PortableHash {
  readonly #hash = createHash("sha256");

  update(data: string | Buffer): this {
    this.#hash.update(typeof data === "string" ? data.replaceAll(root, "") : data);
    return this;
  }

  digest(): Buffer;
  digest(encoding: string): string;
  digest(encoding?: string): string | Buffer {
    return encoding === undefined ? this.#hash.digest() : this.#hash.digest(encoding as BinaryToTextEncoding);
  }
}

process.once("message", (build: PluginBuild) => {
  const compiler = webpack(configure(build));
  compiler.run((error, stats) => {
    if (error !== null) throw error;
    if (stats === undefined || stats.hasErrors() || stats.hasWarnings())
      throw new Error(stats?.toString({ all: false, errors: true, warnings: true, errorDetails: true }));
    const { modules = [] } = stats.toJson({ all: false, modules: true, nestedModules: true });
    process.send?.(filesOf(modules));
    process.disconnect();
  });
});

function configure({ folder, version, define }: PluginBuild): Configuration {
  return {
    mode: "production",
    context: sources,
    entry: {},
    output: {
      path: folder,
      clean: true,
      chunkFilename: "[name].[contenthash].js",
      cssChunkFilename: "[name].[contenthash].css",
      hashDigestLength: 20,
      hashFunction: PortableHash,
    },
    resolveLoader: { symlinks: false }, // so that hashes do not include the real paths of loaders
    performance: false,
    experiments: { css: true },
    module: {
      rules: [
        { test: /\.tsx?$/, loader: "esbuild-loader", options: { target, jsx: "automatic", tsconfigRaw: {} } },
        // Omits PatternFly's styles, because the console loads them. Our own CSS uses PatternFly tokens to follow the
        // theme.
        { test: /\/node_modules\/.*\.css$/, type: "asset/source", sideEffects: false },
      ],
    },
    optimization: {
      minimizer: [new EsbuildPlugin({ target, css: true, legalComments: "none" })],
      splitChunks: { cacheGroups: { default: false, defaultVendors: false, icons, components } },
    },
    plugins: [
      new webpack.DefinePlugin({ ...define }),
      new ConsoleRemotePlugin({
        pluginMetadata: {
          name: "virt-advisor",
          version,
          displayName: "Virtualization advisor",
          description: "Plans, rollouts and drift of virtualization profiles, and assets of the platform controller",
          dependencies: { "@console/pluginAPI": ">=4.22.0-0" }, // the first console with React 18
          exposedModules: { pages: "./plugin-pages.tsx", actions: "./actions.ts", templates: "./templates.ts" },
        },
        extensions: JSON.parse(readFileSync(join(sources, "console-extensions.json"), "utf8")),
        sharedDynamicModuleSettings: { modulePaths: [join(root, "node_modules")] },
      }),
    ],
  };
}

/**
 * Bundles fallback copies of PatternFly for consoles that do not share a component or an icon. Icons are in a separate
 * file, because missing icons are more common.
 */
const ownCopies = { chunks: ({ name }: Chunk) => name === undefined || name === null, enforce: true } as const;
const icons = {
  ...ownCopies,
  name: "icons",
  test: /\/node_modules\/(@patternfly\/react-icons|react|tslib)\//,
  priority: 1,
};
const components = { ...ownCopies, name: "components", test: /\/node_modules\// };

function filesOf(modules: readonly StatsModule[]): readonly string[] {
  return modules.flatMap(({ nameForCondition, modules: nested = [] }) => [
    ...(typeof nameForCondition === "string" ? [nameForCondition] : []),
    ...filesOf(nested),
  ]);
}
