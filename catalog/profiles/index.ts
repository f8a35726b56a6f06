export { default as exampleProfile } from "./example-profile/profile.ts";
export { default as liveMigration } from "./live-migration/profile.ts";
export { default as loadAwareRebalancing } from "./load-aware-rebalancing/profile.ts";
export { default as virtHigherDensity } from "./virt-higher-density/profile.ts";
export { default as vmHighAvailability } from "./vm-high-availability/profile.ts";
