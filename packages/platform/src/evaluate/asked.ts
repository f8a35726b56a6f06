// One question: how does this asset stand in this world?

import type { Ref } from "@virt/api";
import type { Asset } from "../asset.ts";
import type { HcoFact } from "../hco-fact.ts";
import type { Places } from "./place.ts";
import type { World } from "./world.ts";

export type Asked = {
  readonly asset: Asset;
  readonly world: World;
  readonly hco: HcoFact;
  /** Where the asset's object lies here. */
  readonly target: Ref;
  readonly places: Places;
};
