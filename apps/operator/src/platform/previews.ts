// What the controller would do with each object of a scene now, for pages and the report.

import { type Preview, previewObject } from "@virt/platform";
import { keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import type { Scene } from "./scene.ts";
import { managedWatch } from "./watches.ts";

export function previewsOf({ world, objects, evaluate }: Scene, parts: PlatformParts): readonly Preview[] {
  const now = parts.clock.wall();
  const trouble = (ref: Scene["objects"][number]["ref"]) => {
    const watch = parts.find(managedWatch(ref, parts.settings.hcoNamespace));
    return watch === undefined || watch.state === "starting" ? (watch?.trouble ?? "not listed yet") : undefined;
  };
  return objects.map((object) =>
    previewObject(object, {
      world,
      now,
      memory: parts.memory.get(keyOf(object.ref)),
      evaluated: evaluate(object),
      trouble,
    }),
  );
}
