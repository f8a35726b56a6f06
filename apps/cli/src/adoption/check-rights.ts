// Sends every write of an adoption as a dry run first, so that a missing right shows before anything changes.

import { activationAnnotation, autopilotAnnotation, type KubeObject } from "@virt/api";
import { type AdoptionPlan, annotationPatch, objectAnnotations, type ReturnPlan } from "@virt/platform";
import type { AdoptionRequests } from "./adoption-requests.ts";

/** Throws a CliError that names the first missing right. */
export async function checkAdoptionRights(plan: AdoptionPlan, requests: AdoptionRequests): Promise<void> {
  const { annotations, keyWithReplaced, takeOver, overwrite, replace } = plan;
  const theirs = replace.map((one) => one.theirs);
  await annotate(requests, plan.hco, { ...annotations, [activationAnnotation]: keyWithReplaced });
  for (const { live } of [...takeOver, ...overwrite]) await annotate(requests, live, { [adopt]: "true" }); // oxlint-disable-line no-await-in-loop -- the first missing right
  for (const object of theirs) {
    await annotate(requests, object, { [adopt]: "replace" }); // oxlint-disable-line no-await-in-loop -- the first missing right
    await requests.remove(object, true); // oxlint-disable-line no-await-in-loop -- the first missing right
  }
}

/** Throws a CliError that names the first missing right. */
export async function checkReturnRights({ hco, adopted }: ReturnPlan, requests: AdoptionRequests): Promise<void> {
  await annotate(requests, hco, { [activationAnnotation]: "false", [autopilotAnnotation]: null });
  for (const object of adopted) await annotate(requests, object, { [adopt]: null }); // oxlint-disable-line no-await-in-loop -- the first missing right
}

const { adopt } = objectAnnotations;

/** An object that has changed in the meantime is not a missing right. */
async function annotate(
  { annotate: send }: AdoptionRequests,
  object: KubeObject,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  const patch = annotationPatch(object, changes);
  if (patch.length > 0) await send(object, patch, true);
}
