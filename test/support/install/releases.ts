import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { obtainPreviousRelease, previousVersion } from "./previous-release.ts";

export type Release = {
  readonly name: "previous" | "present";
  /** As in statuses and in the User-Agent. */
  readonly version: string;
  /** Contains `config` and `dist`. */
  readonly folder: string;
};

const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as { readonly version: string };

export const present: Release = { name: "present", version: `v${version}`, folder: inRepository() };
export const previous: Release = { name: "previous", version: `v${previousVersion}`, folder: obtainPreviousRelease() };
