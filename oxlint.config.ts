// The lint rules and the layers of ARCHITECTURE.md: allowed imports per layer, and the limits of pure code.

import { defineConfig } from "oxlint";

/** Our packages that each package may import. Unlisted code may import all of them. */
const layers = {
  api: [],
  objects: ["api"],
  cluster: ["api", "objects"],
  impact: ["api", "objects", "cluster"],
  advisor: ["api", "objects", "cluster", "impact"],
  platform: ["api", "objects", "cluster", "impact"],
  views: ["api", "objects", "cluster", "impact", "advisor"],
  catalog: ["api", "objects", "cluster", "advisor", "platform"],
  kube: ["api", "objects"],
  reads: ["api", "objects", "cluster", "impact", "advisor", "platform", "kube"],
  testkit: ["api", "objects", "kube"],
} as const;

type Layer = keyof typeof layers;

const pure: readonly Layer[] = ["api", "objects", "cluster", "impact", "advisor", "platform", "views", "catalog"];
const withInput: readonly Layer[] = ["kube", "reads", "testkit"];
const apps = ["operator", "cli", "console", "simulator"];

const sources = (layer: Layer) => (layer === "catalog" ? "catalog/**/*.ts" : `packages/${layer}/src/**/*.ts`);

const noApps = {
  // The command line starts the console's server.
  group: [...apps.map((app) => `@virt/${app}`), "**/apps/**", "!@virt/console/server"],
  message: "Nothing imports an app.",
};
const noInsides = { group: ["**/src/**"], message: "Import another package by its name, not by a path into it." };
const noTestkit = { group: ["@virt/testkit"], message: "Only tests, bench and tools import the testkit." };
const noTesting = { group: ["**/testing/**"], message: "Product code imports no test support." };
const noInput = { group: ["node:*", "!node:test"], message: "Pure code does no I/O." };
const noZod = { group: ["zod"], message: "Only options.ts files and generators use zod: it stays out of the image." };

const only = (layer: Layer) => ({
  group: ["@virt/*", ...layers[layer].map((other) => `!@virt/${other}`)],
  message: `${layer} imports of ours only: ${layers[layer].join(", ") || "nothing"}.`,
});

const restrict = (...patterns: { group: string[]; message: string }[]): ["error", { patterns: typeof patterns }] => [
  "error",
  { patterns },
];

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    eqeqeq: "error",
    "max-lines": ["warn", { max: 300 }],
    "no-console": "error",
    "no-empty": "error",
    "no-param-reassign": "error",
    "no-shadow": "off",
    "no-var": "error",
    "prefer-const": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "import/no-named-as-default-member": "off",
    "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
    "typescript/consistent-return": "off", // the compiler checks exhaustive switches
    "typescript/consistent-type-definitions": ["error", "type"],
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/only-throw-error": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "unicorn/consistent-function-scoping": "off",
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect*", "*.expect*", "fc.assert", "scene.diagnose"] }],
    "no-restricted-imports": restrict(noApps, noTestkit, noInsides, noTesting),
  },
  overrides: [
    ...withInput.map((layer) => ({
      files: [sources(layer)],
      rules: { "no-restricted-imports": restrict(noApps, only(layer), noInsides, noTesting) },
    })),
    ...pure.map((layer) => ({
      files: [sources(layer)],
      rules: { "no-restricted-imports": restrict(noApps, only(layer), noInsides, noTesting, noInput, noZod) },
    })),
    {
      files: pure.map(sources),
      rules: {
        "no-restricted-globals": [
          "error",
          { name: "Date", message: "Pure code reads no clock: take the time as an argument." },
          { name: "Intl", message: "Pure code prints the same on every machine: no locale." },
        ],
        "no-restricted-properties": [
          "error",
          {
            object: "Math",
            property: "random",
            message: "Pure code leaves nothing to chance: take it as an argument.",
          },
        ],
      },
    },
    {
      // The file needs Date for calendar arithmetic, but takes every time as an argument.
      files: ["packages/objects/src/encoding/api-scalars.ts"],
      rules: { "no-restricted-globals": "off" },
    },
    {
      // Tests may use oracles and servers that the code under test must not use.
      files: ["**/*.test.ts", "**/testing/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "tools/**/*.ts"],
      rules: {
        "no-restricted-imports": restrict(noApps, noInsides),
        "no-restricted-globals": "off",
        "no-restricted-properties": "off",
      },
    },
    {
      // It compares the operator, the command line and the console.
      files: ["test/advisor/surfaces-law.test.ts", "test/platform/{manager-law,autopilot-surfaces}.test.ts"],
      rules: { "no-restricted-imports": "off" },
    },
    { files: ["*.config.ts", "catalog/**/*.ts"], rules: { "import/no-default-export": "off" } },
    {
      files: ["catalog/profiles/*/options.ts"],
      rules: { "no-restricted-imports": restrict(noApps, noInsides, noTesting, noInput) },
    },
  ],
});
