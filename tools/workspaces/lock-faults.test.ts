import { expect, test } from "vitest";
import { type LockedManifest, type LockFile, lockFaults } from "./lock-faults.ts";

const root: LockedManifest = { devDependencies: { vitest: "4.1.0" }, optionalDependencies: { node: "24.0.0" } };
const app: LockedManifest = { dependencies: { "@virt/api": "0.1.0", react: "18.0.0" } };
const manifests = new Map([
  ["", root],
  ["apps/console", app],
]);
const lock: LockFile = {
  packages: {
    "": root,
    "apps/console": app,
    "node_modules/@virt/api": { link: true },
    "node_modules/vitest": { version: "4.1.0" },
    "node_modules/node": { version: "24.0.0" },
    "node_modules/react": { version: "17.0.0" },
    "apps/console/node_modules/react": { version: "18.0.0" },
  },
};

test("accepts a lock file that matches every package.json", () => {
  expect(lockFaults(manifests, lock)).toEqual([]);
});

test("reports a version that changed only in the root package.json", () => {
  const changed = new Map([...manifests, ["", { ...root, devDependencies: { vitest: "4.2.0" } }] as const]);
  expect(lockFaults(changed, lock)).toEqual(["package-lock.json is older than package.json"]);
});

test("reports a locked version that differs from the declared one", () => {
  const packages = { ...lock.packages, "node_modules/vitest": { version: "4.0.9" } };
  expect(lockFaults(manifests, { packages })).toEqual(["package-lock.json has vitest 4.0.9, package.json wants 4.1.0"]);
});

test("reports a range that is not locked at its lowest version", () => {
  const ranged = { dependencies: { react: "^17.1.0" } };
  const faultsAt = (version: string) => {
    const packages = { "apps/console": ranged, "node_modules/react": { version } };
    return lockFaults(new Map([["apps/console", ranged]]), { packages });
  };
  expect(faultsAt("17.1.0")).toEqual([]);
  expect(faultsAt("17.2.0")).toEqual(["package-lock.json has react 17.2.0, apps/console/package.json wants ^17.1.0"]);
});

test("reports a package that the lock file lacks", () => {
  const { "node_modules/node": _gone, ...packages } = lock.packages;
  expect(lockFaults(manifests, { packages })).toEqual([
    "package-lock.json has node nowhere, package.json wants 24.0.0",
  ]);
});
