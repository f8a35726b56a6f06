// Explains one asset of a preview. With a cluster, adds a dry run and the impact.

import { fieldManagers } from "@virt/api";
import { type Client, clusterFor, Discovery, noLease, scrubText } from "@virt/kube";
import {
  type ClusterFacts,
  type DryRunAnswer,
  defaultOfObject,
  documentOf,
  type Explanation,
  explainAsset,
  mutatedFields,
  type Preview,
  shapeOfObject,
} from "@virt/platform";
import { type CatalogPreview, requireAsset } from "./preview-catalog.ts";
import { PreviewError } from "./read-cluster.ts";
import { readImpact } from "./read-impact.ts";

/** The cluster for the dry run, or the reason why there is none. */
export type ExplainSource =
  | { readonly kind: "cluster"; readonly client: Client; readonly signal: AbortSignal }
  | { readonly kind: "none"; readonly notAsked: string };

/** Explains an asset without storing anything. Throws a PreviewError if the asset does not exist. */
export async function explainPreview(
  name: string,
  all: CatalogPreview,
  source: ExplainSource,
  now: number,
): Promise<Explanation> {
  requireAsset(all, name);
  const { clusterFacts, previews } = all;
  const preview = previews.find(({ object }) => object.assets.some((asset) => asset.name === name));
  if (preview === undefined) throw new PreviewError(`no object has asset ${name}`);
  const answer: DryRunAnswer =
    source.kind === "none"
      ? { kind: "not-asked", why: source.notAsked }
      : await dryRunPreview(preview, clusterFacts, source);
  const impact = source.kind === "none" ? undefined : await readImpact(preview, { ...all, ...source, now });
  const explained = impact?.preview ?? preview;
  const explanation = explainAsset(name, explained, { facts: clusterFacts, answer, rollout: impact?.shown });
  if (explanation === undefined) throw new PreviewError(`no object has asset ${name}`);
  return explanation;
}

/** A failure to reach the server does not count as a refusal. */
async function dryRunPreview(
  preview: Preview,
  clusterFacts: ClusterFacts,
  { client, signal }: Extract<ExplainSource, { kind: "cluster" }>,
): Promise<DryRunAnswer> {
  const notAsked = (why: string): DryRunAnswer => ({ kind: "not-asked", why });
  const document = documentOf(preview);
  if (document === undefined) return notAsked("nothing would be applied");
  const decision = preview.decided?.decision;
  if (decision?.kind === "apply" && decision.apply.removals.length > 0)
    return notAsked("the operator applies it with two requests, which a dry run cannot combine");
  const cluster = clusterFor({ client: client.under(noLease), discovery: new Discovery(client) }, signal);
  const { live, object } = preview;
  const expect = live === undefined ? "absent" : { uid: live.metadata.uid ?? "" };
  const outcome = await cluster.dryRunApply(document, { manager: fieldManagers.platform, force: true, expect });
  switch (outcome.kind) {
    case "done": {
      const schema = { shapeOf: shapeOfObject(object, clusterFacts), defaultOf: defaultOfObject(object, clusterFacts) };
      const mutated = outcome.live === undefined ? [] : mutatedFields(document, outcome.live, schema);
      return { kind: "accepted", mutated };
    }
    case "rejected":
      return outcome.reason === "Forbidden"
        ? notAsked(`you may not apply it: ${scrubText(outcome.message)}`)
        : { kind: "refused", message: scrubText(outcome.message) };
    case "unavailable":
      return notAsked(outcome.message);
    case "missing":
      return notAsked(`its ${outcome.what} does not exist`);
    case "stale":
    case "conflict":
      return notAsked("the object was modified concurrently, try again");
  }
}
