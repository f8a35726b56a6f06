// An adoption in the cluster of the user, for the verb `adopt` and for the console.

import { assets, autopilotObjects, profiles } from "@virt/catalog";
import { type Access, type Client, systemClock } from "@virt/kube";
import { asText, at } from "@virt/objects";
import {
  type AdoptionPreview,
  findReports,
  previewAdoption,
  previewReturn,
  type ReturnPreview,
  readAdoptedCluster,
} from "@virt/reads";
import { CliError, exitCodes } from "../verb.ts";
import { adoptionRequests } from "./adoption-requests.ts";
import { checkAdoptionRights, checkReturnRights } from "./check-rights.ts";
import { runAdoption, runReturn, type StepOptions, type StepsResult } from "./run-steps.ts";

export type AdoptedCluster = {
  readonly client: Client;
  readonly access: Access;
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Namespace of the platform controller. Undefined: that of its report. */
  readonly ownNamespace: string | undefined;
  readonly now: () => number;
  /** The command, for the next step in messages. */
  readonly program: string;
};

/** Writes nothing. Throws a PreviewError that tells the user what to fix. */
export function previewInCluster(cluster: AdoptedCluster, replaced: readonly string[]): Promise<AdoptionPreview> {
  return previewAdoption({ ...readInput(cluster), table: autopilotObjects, replaced });
}

/** Writes nothing. Throws a PreviewError that tells the user what to fix. */
export async function previewReturnInCluster(cluster: AdoptedCluster): Promise<ReturnPreview> {
  return previewReturn(await readAdoptedCluster(readInput(cluster)), autopilotObjects);
}

/** Throws a CliError that names a missing right. */
export function checkRights(preview: AdoptionPreview | ReturnPreview, cluster: AdoptedCluster): Promise<void> {
  const requests = adoptionRequests(cluster);
  return "doubled" in preview ? checkReturnRights(preview.plan, requests) : checkAdoptionRights(preview.plan, requests);
}

/** Runs what the preview shows. Throws a CliError with code `refused` if the cluster has changed since. */
export async function runPreviewed(
  preview: AdoptionPreview | ReturnPreview,
  cluster: AdoptedCluster,
  onProgress: (text: string) => void,
): Promise<void> {
  const options = stepOptions(cluster, onProgress);
  if ("doubled" in preview) return refuseChanged(await runReturn(preview.plan, options), "adopt --back", cluster);
  const theirs = preview.rows.map((row) => row.theirs);
  refuseChanged(await runAdoption(preview.plan, theirs, options), "adopt", cluster);
}

function refuseChanged(result: StepsResult, verb: string, { program }: AdoptedCluster): void {
  if (result.kind === "done") return;
  throw new CliError(`stopped: ${result.message}. To preview again, run: ${program} ${verb}`, exitCodes.refused);
}

function readInput({ client, signal, environment, ownNamespace, now }: AdoptedCluster) {
  return { catalog: { assets, profiles }, client, signal, environment, ownNamespace, hcoNamespace: "", now: now() };
}

function stepOptions(cluster: AdoptedCluster, onProgress: (text: string) => void): StepOptions {
  const { client, signal, program, ownNamespace } = cluster;
  return {
    requests: adoptionRequests(cluster),
    clock: systemClock,
    signal,
    program,
    onProgress,
    readReport: async () => {
      const [report] = (await findReports(client, signal, ownNamespace)).reports;
      return asText(at(report ?? null, "data", "report.json"));
    },
  };
}
