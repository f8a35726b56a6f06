// What other packages use of the catalog.

export { features } from "./assets/features.ts";
export { assets } from "./assets/index.ts";
export { operatorOf } from "./assets/operators.ts";
export { tombstones } from "./assets/tombstones.ts";
export { profiles } from "./profiles/index.ts";
