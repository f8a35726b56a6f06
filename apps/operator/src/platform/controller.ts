// The platform controller: which changes concern which objects, and who looks at them.

import type { Controller, WatchSpec } from "@virt/kube";
import { buryOne, isTombstoneKey } from "./bury.ts";
import { contentOf } from "./hco.ts";
import { lookAt, lookAtAll } from "./look.ts";
import { isHco, keyOf } from "./objects.ts";
import type { PlatformParts } from "./parts.ts";
import { type Publisher, reportKey } from "./publish.ts";
import { refOf } from "./report.ts";
import type { Stage } from "./stage.ts";

/** All objects are looked at under this key when nobody can say which one is meant. */
const everything = "everything";

export type ControllerParts = {
  readonly parts: PlatformParts;
  readonly stage: Stage;
  readonly publisher: Publisher;
  /** The set of wanted watches may be another one. */
  readonly onChange: () => void;
};

export function platformController({ parts, stage, publisher, onChange }: ControllerParts): Controller {
  const changed = (whose: "all" | readonly string[]) => {
    stage.changed(whose);
    onChange();
  };
  const keysOf = (spec: WatchSpec, isThere: "as before" | "or not") => {
    const concern = stage.concern(spec);
    if (concern.kind === "all") {
      changed("all");
      return [everything];
    }
    const { shown, readers } = concern;
    // Whether an object yields to another that serves its purpose depends on whether it is known to be there itself.
    if (isThere === "or not") stage.changed(shown);
    if (readers.length > 0) changed(readers);
    return [...shown, ...readers];
  };
  return {
    name: "platform",
    keysFor: (spec, { before, after }) => {
      if (before === undefined || after === undefined) return keysOf(spec, "or not");
      const isItsOwn = isHco(spec) && contentOf(before) === contentOf(after); // nobody else is made from that
      return isItsOwn ? [keyOf(refOf(after))] : keysOf(spec, "as before");
    },
    keysWhen: ({ spec }) => keysOf(spec, "or not"),
    pass: async (key, tools) => {
      if (key === reportKey) return publisher.pass(stage.scene(), tools);
      if (isTombstoneKey(key)) return buryOne(key, { scene: stage.scene(), parts, tools });
      const looking = { parts, stage, tools };
      const ending = key === everything ? lookAtAll(looking) : await lookAt(key, looking);
      publisher.dirty();
      return ending;
    },
  };
}
