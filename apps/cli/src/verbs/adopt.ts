// `adopt`: moves objects from virt-platform-autopilot to the platform controller without a reboot, and back.

import { autopilotName } from "@virt/api";
import type { AdoptionView } from "@virt/views";
import { adoptionBlocks } from "../adoption/adoption-blocks.ts";
import { viewAdoption, viewReturn } from "../adoption/adoption-views.ts";
import {
  type AdoptedCluster,
  checkRights,
  previewInCluster,
  previewReturnInCluster,
  runPreviewed,
} from "../adoption/cluster-adoption.ts";
import { type Block, nextBlock, textBlock } from "../blocks.ts";
import { confirmChange, showBeforeChange } from "../confirm-change.ts";
import { CliError, type ExitCode, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";
import { withPreviewErrors } from "./render.ts";

export const adoptObjects: RunVerb = (context) => {
  const replaced = context.all("replace").flatMap((list) => list.split(",").map((name) => name.trim()));
  const named = replaced.filter((name) => name !== "");
  if (context.isOn("back") && named.length > 0) throw new CliError("--back and --replace cannot be combined");
  return context.isOn("back") ? giveBack(context) : adopt(named, context);
};

async function adopt(replaced: readonly string[], context: VerbContext): Promise<ExitCode> {
  const { program } = context;
  const cluster = clusterOf(context);
  const preview = await withPreviewErrors(() => previewInCluster(cluster, replaced));
  const moved = preview.rows.filter(({ action }) => action !== "keep").length;
  return carryOut(
    {
      view: viewAdoption(preview, program),
      question: "Move these objects to virt-platform-operator?",
      nothing: "There is nothing to adopt. Nothing was changed.",
      check: () => checkRights(preview, cluster),
      run: (onProgress) => runPreviewed(preview, cluster, onProgress),
      result: [
        textBlock(`virt-platform-operator manages ${moved} ${moved === 1 ? "object" : "objects"} of ${autopilotName}.`),
        nextBlock(`to see them, run: ${program} assets; to return them, run: ${program} adopt --back`),
      ],
    },
    context,
  );
}

async function giveBack(context: VerbContext): Promise<ExitCode> {
  const cluster = clusterOf(context);
  const preview = await withPreviewErrors(() => previewReturnInCluster(cluster));
  return carryOut(
    {
      view: viewReturn(preview),
      question: `Return these objects to ${autopilotName}?`,
      nothing: "There is nothing to return. Nothing was changed.",
      check: () => checkRights(preview, cluster),
      run: (onProgress) => runPreviewed(preview, cluster, onProgress),
      result: [textBlock(`${autopilotName} is enabled. virt-platform-operator is disabled.`)],
    },
    context,
  );
}

type PreviewedChange = {
  readonly view: AdoptionView;
  readonly question: string;
  readonly nothing: string;
  readonly check: () => Promise<void>;
  readonly run: (onProgress: (text: string) => void) => Promise<void>;
  readonly result: readonly Block[];
};

async function carryOut(change: PreviewedChange, context: VerbContext): Promise<ExitCode> {
  const { isOn, printer } = context;
  const { view, question, nothing, result } = change;
  if (!view.isNeeded) {
    printer.print({ type: "Adoption", data: { ...view, isChanged: false }, blocks: [textBlock(nothing)] });
    return exitCodes.reviewNeeded;
  }
  await change.check();
  showBeforeChange(adoptionBlocks(view), context);
  if (!isOn("yes") && !(await confirmChange({ question }, context))) return exitCodes.error;
  await change.run((text) => printer.progress(text));
  printer.print({ type: "Adoption", data: { ...view, isChanged: true }, blocks: result });
  return exitCodes.done;
}

function clusterOf({ access, environment, flag, now, program, session, signal }: VerbContext): AdoptedCluster {
  const { client } = session();
  return { client, access: access(), signal, environment, ownNamespace: flag("namespace"), now, program };
}
