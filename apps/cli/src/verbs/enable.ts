// `enable`: enables the platform controller for all or some assets, after showing their combined impact.

import { activationAnnotation, type KubeObject } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import { Discovery, noLease, patchObject } from "@virt/kube";
import { type Enablement, previewEnablement } from "@virt/reads";
import { foreignText } from "@virt/views";
import { type Block, nextBlock, textBlock } from "../blocks.ts";
import { fieldManager } from "../cluster-session.ts";
import { confirmChange, showBeforeChange } from "../confirm-change.ts";
import { describeFailure } from "../session-failure.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";
import { impactBlocks } from "./impact.ts";
import { withPreviewErrors } from "./render.ts";

export const enablePlatformAssets: RunVerb = async (context) => {
  const { environment, flag, isOn, now, printer, program, session, signal, words } = context;
  const preview = await withPreviewErrors(() =>
    previewEnablement({
      catalog: { assets, profiles },
      client: session().client,
      signal,
      environment,
      ownNamespace: flag("namespace"),
      hcoNamespace: "",
      names: words,
      now: now(),
    }),
  );
  const what = words.length === 0 ? "all assets" : words.join(", ");
  if (preview.activation === undefined) {
    const blocks = [textBlock(`The platform controller is already enabled for ${what}. Nothing was changed.`)];
    printer.print({ type: "Enablement", data: dataOf(preview, false), blocks });
    return exitCodes.done;
  }
  showBeforeChange(previewBlocks(preview), context);
  const question = `Enable the platform controller for ${what}?`;
  if (!isOn("yes") && !(await confirmChange({ question }, context))) return exitCodes.error;
  await annotate(preview.hco, preview.activation, context);
  printer.print({
    type: "Enablement",
    data: dataOf(preview, true),
    blocks: [
      textBlock(`The platform controller is enabled for ${what} (${activationAnnotation}=${preview.activation})`),
      nextBlock(`to follow the progress, run: ${program} status, or ${program} assets`),
    ],
  });
  return exitCodes.done;
};

function dataOf({ assets: applied, excluded, impact, activation }: Enablement, isChanged: boolean) {
  return { assets: applied, excluded, impact, ...(activation !== undefined && { activation }), isChanged };
}

function previewBlocks({ assets: applied, excluded, impact }: Enablement): readonly Block[] {
  const list = applied.length === 0 ? "The controller would not apply any assets." : `Assets: ${applied.join(", ")}`;
  const left = excluded.map(
    ({ asset, why }) => ({ text: `! ${asset} would not be applied: ${foreignText(why)}`, style: "warning" }) as const,
  );
  const summary = impact === null ? "Impact: no nodes change." : `Impact: ${foreignText(impact.summary, 512)}`;
  return [textBlock(list, ...left, summary), ...(impact === null ? [] : impactBlocks(impact))];
}

/** Includes the uid, so that the API server rejects the patch if the HyperConverged has been re-created. */
async function annotate(hco: KubeObject, value: string, { access, session, signal }: VerbContext): Promise<void> {
  const { name, namespace = "", uid } = hco.metadata;
  const { client } = session();
  const found = await new Discovery(client).place(hco, signal, client);
  if (found.kind !== "served") throw new CliError("this cluster no longer serves HyperConvergeds");
  const body = { metadata: { ...(uid !== undefined && { uid }), annotations: { [activationAnnotation]: value } } };
  const request = patchObject(found.resource, { name, namespace }, body, { type: "merge", fieldManager });
  const answer = await client.under(noLease).write(request, { signal });
  if (answer.kind === "answered" && answer.status < 300) return;
  throw describeFailure(answer, { verb: "patch", resource: found.resource, name, namespace }, access());
}
