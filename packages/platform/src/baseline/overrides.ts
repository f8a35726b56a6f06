// What people say about one object by its annotations. Read from the live object only.

import type { KubeObject } from "@virt/api";
import { objectAnnotations } from "./names.ts";

export type Overrides = {
  readonly patch: string | undefined;
  readonly ignoreFields: string | undefined;
  readonly mode: "managed" | "unmanaged" | { readonly invalid: string };
  readonly isAdopted: boolean;
  readonly isPaused: boolean;
};

export function readOverrides(live: KubeObject | undefined): Overrides {
  const annotations = live?.metadata.annotations ?? {};
  const said = (key: keyof typeof objectAnnotations) => annotations[objectAnnotations[key]]?.trim();
  const mode = said("mode") ?? "";
  return {
    patch: said("patch") || undefined,
    ignoreFields: said("ignoreFields") || undefined,
    mode: modeOf(mode),
    isAdopted: said("adopt") === "true",
    isPaused: said("paused") === "true",
  };
}

function modeOf(mode: string): Overrides["mode"] {
  if (mode === "unmanaged") return mode;
  return mode === "" || mode === "managed" ? "managed" : { invalid: mode };
}
