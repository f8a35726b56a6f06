import type { Scenario } from "../scenario.ts";
import { advisorQuiet } from "./advisor-quiet.ts";
import { againstClientNode } from "./against-client-node.ts";
import { cli } from "./cli.ts";
import { client } from "./client.ts";
import { largeConsole } from "./console.ts";
import { crdReturn } from "./crd-return.ts";
import { cutWatch } from "./cut-watch.ts";
import { correctedDrift } from "./drift.ts";
import { editWar } from "./edit-war.ts";
import { hostileLabels } from "./hostile-labels.ts";
import { hostilePatch } from "./hostile-patch.ts";
import { impact5000 } from "./impact-5000.ts";
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
  hostileLabels,
  memory,
  nodes5000,
  impact5000,
  largeConsole,
  cli,
  client,
  watch5000,
  cutWatch,
  silentWatch,
  outage,
  againstClientNode,
];
