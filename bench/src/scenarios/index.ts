// Every scenario, in the order in which they run.

import type { Scenario } from "../scenario.ts";
import { advisorQuiet } from "./advisor-quiet.ts";
import { againstClientNode } from "./against-client-node.ts";
import { client } from "./client.ts";
import { crdReturn } from "./crd-return.ts";
import { cutWatch } from "./cut-watch.ts";
import { correctedDrift } from "./drift.ts";
import { editWar } from "./edit-war.ts";
import { hostilePatch } from "./hostile-patch.ts";
import { memory } from "./memory.ts";
import { nodes5000 } from "./nodes-5000.ts";
import { operatorIdle } from "./operator-idle.ts";
import { outage } from "./outage.ts";
import { planReviewApply } from "./plan-review-apply.ts";
import { platformStart } from "./platform-start.ts";
import { silentWatch } from "./silent-watch.ts";
import { storm } from "./storm.ts";
import { watch5000 } from "./watch-5000.ts";

export const scenarios: readonly Scenario[] = [
  operatorIdle,
  planReviewApply,
  advisorQuiet,
  platformStart,
  correctedDrift,
  storm,
  editWar,
  crdReturn,
  hostilePatch,
  memory,
  nodes5000,
  client,
  watch5000,
  cutWatch,
  silentWatch,
  outage,
  againstClientNode,
];
