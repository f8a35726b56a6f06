// What other packages use of the catalog.

export { advisorAlerts } from "./alerts/advisor.ts";
export { type Alert, rulesFor } from "./alerts/alert.ts";
export { platformAlerts } from "./alerts/platform.ts";
export { features } from "./assets/features.ts";
export { assets } from "./assets/index.ts";
export { operatorOf } from "./assets/operators.ts";
export { tombstones } from "./assets/tombstones.ts";
export { profiles } from "./profiles/index.ts";
