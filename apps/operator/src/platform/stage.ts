// The scene of the moment, made anew when an input changed, and the streams that it needs.

import type { WatchSpec } from "@virt/kube";
import type { PlatformParts } from "./parts.ts";
import { type Scene, setScene } from "./scene.ts";
import { type Concern, type Wanted, wantedIn } from "./wanted.ts";

export type Stage = {
  /** Undefined: there is no HyperConverged, or nobody can say which. */
  readonly scene: () => Scene | undefined;
  readonly wanted: () => readonly WatchSpec[];
  /** By the streams that were last wanted: they are the ones that run. */
  readonly concern: (spec: WatchSpec) => Concern;
  /** An input is another one: of all objects, or of these. */
  readonly changed: (whose: "all" | readonly string[]) => void;
};

export function createStage(parts: PlatformParts): Stage {
  let isCurrent = false;
  let revision = -1;
  let scene: Scene | undefined;
  let wanted: Wanted | undefined;
  const look = () => {
    if (isCurrent && revision === parts.remembered.revision()) return scene;
    isCurrent = true;
    revision = parts.remembered.revision();
    scene = setScene(parts);
    return scene;
  };
  return {
    scene: look,
    wanted: () => {
      wanted = wantedIn(look(), parts);
      return wanted.specs;
    },
    concern: (spec) => wanted?.concern(spec) ?? { kind: "all" },
    changed: (whose) => {
      if (whose === "all") isCurrent = false;
      else for (const key of whose) scene?.reconsider(key);
    },
  };
}
