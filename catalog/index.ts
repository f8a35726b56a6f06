// What other packages use of the catalog.

export { profiles } from "./profiles/index.ts";
