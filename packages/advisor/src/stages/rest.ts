// Failed: stays until a person edits the spec.

import { land } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";

export function rest(seen: Observed): Decision {
  return land(seen, "Failed", { again: { when: "on-change" } });
}
