// Decides what one VirtPlatformConfig says and does next. No I/O, no clock, no mutation.

import type { Phase } from "@virt/api";
import type { Decision, Observed } from "./observed.ts";
import { prelude } from "./prelude.ts";
import { awaitApproval } from "./stages/await-approval.ts";
import { awaitPrerequisites } from "./stages/await-prerequisites.ts";
import { enterDrafting } from "./stages/enter-drafting.ts";
import { execute } from "./stages/execute.ts";
import { guard } from "./stages/guard.ts";
import { present } from "./stages/present.ts";
import { rest } from "./stages/rest.ts";
import { texts } from "./texts.ts";

export function transition(seen: Observed): Decision {
  const before = prelude(seen);
  if (before.kind === "decided") return before.decision;
  return stages[before.phase](seen);
}

const draftAnew = (seen: Observed) => enterDrafting(seen, { message: texts.started });

// A twelfth phase does not compile until it has a stage.
const stages: Readonly<Record<Phase, (seen: Observed) => Decision>> = {
  Pending: draftAnew,
  Ignored: draftAnew,
  Drafting: present,
  PrerequisiteFailed: awaitPrerequisites,
  ReviewRequired: awaitApproval,
  InProgress: execute,
  Completed: guard,
  CompletedWithErrors: guard,
  CompletedWithUpgrade: guard,
  Drifted: guard,
  Failed: rest,
};
