// Finds or builds kube-controller-manager from the same sources as the control plane.

import { join } from "node:path";
import { cacheFolder, controllerManagerName, findCached, missingPrograms, readPinnedVersions } from "./binary-cache.ts";
import { buildWithGo, goVersion } from "./go-build.ts";

const names = [controllerManagerName] as const;

export async function findControllerManager(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const assets = env["KUBEBUILDER_ASSETS"];
  const isGiven = assets !== undefined && assets !== "" && missingPrograms(assets, names).length === 0;
  const folder = isGiven ? assets : findCached(cacheFolder(env, "controller-manager"), await goVersion(env), names);
  return folder === undefined ? undefined : join(folder, controllerManagerName);
}

/** Builds and caches the program if it is missing, which takes about five minutes. Error messages are instructions. */
export async function obtainControllerManager(
  env: NodeJS.ProcessEnv,
  report: (progress: string) => void,
): Promise<string> {
  const found = await findControllerManager(env);
  if (found !== undefined) return found;
  const version = await goVersion(env);
  if (version === undefined) throw new Error(describeFailure("there is no go command"));
  const cacheDir = cacheFolder(env, "controller-manager");
  const built = await buildWithGo({ pins: readPinnedVersions(), names, cacheDir, goVersion: version, env, report });
  if ("failed" in built) throw new Error(describeFailure(`the Go build failed\n${built.failed}`));
  return join(built.folder, controllerManagerName);
}

function describeFailure(why: string): string {
  return [
    `cannot get ${controllerManagerName} ${readPinnedVersions().kubernetes}: ${why}`,
    "Do one of these, then run the same command again:",
    "  - install Go 1.26 or later (https://go.dev/dl) and be online once: it is built in about five minutes, then cached",
    `  - set KUBEBUILDER_ASSETS to a folder that also holds ${controllerManagerName}`,
  ].join("\n");
}
