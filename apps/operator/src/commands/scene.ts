// What a command looks at: the world of the controller, made of files or of one look at a cluster, and its objects in it.

import type { KubeObject } from "@virt/api";
import {
  type AssetRow,
  annotationOf,
  buildWorld,
  lookupIn,
  managedObjects,
  type PlainFacts,
  type Preview,
  previewObject,
  readExclusions,
  readImages,
  rowsOf,
  type World,
} from "@virt/platform";
import { leasePlace } from "../identity.ts";
import { hcoNews } from "../platform/hco-news.ts";
import { type Arguments, CommandError, type Surroundings } from "./command.ts";
import { readCluster } from "./read-cluster.ts";
import { type Looked, readFiles } from "./read-files.ts";

export type Scene = {
  readonly world: World;
  readonly previews: readonly Preview[];
  readonly rows: readonly AssetRow[];
  /** What people should know of, beside what was asked. */
  readonly notes: readonly string[];
};

export async function sceneFor(args: Arguments, surroundings: Surroundings): Promise<Scene> {
  const { environment, catalog, now } = surroundings;
  const { namespace: ownNamespace } = leasePlace("platform", environment["POD_NAMESPACE"], undefined);
  const { hco, facts } = await lookAt(args, surroundings, ownNamespace);
  const world = worldOf(hco, facts, { args, surroundings, ownNamespace });
  const places = {
    hcoNamespace: hco.metadata.namespace ?? "",
    hcoApiVersion: hco.apiVersion,
    ownNamespace,
  };
  const objects = managedObjects(catalog.assets, places);
  const previews = objects.map((object) => previewObject(object, { world, now: now(), trouble: facts.trouble }));
  const news = hcoNews(hco, world, catalog.assets).map(({ note }) => `Warning: ${note}`);
  return { world, previews, rows: previews.flatMap(rowsOf), notes: [...news, ...activationNote(hco, args)] };
}

async function lookAt(
  args: Arguments,
  { readFile, catalog, version }: Surroundings,
  ownNamespace: string,
): Promise<Looked> {
  const [kubeconfig, hcoFile] = [args.text("kubeconfig"), args.text("hco-file")];
  if (kubeconfig !== "" && hcoFile !== "") throw new CommandError("--kubeconfig and --hco-file are mutually exclusive");
  const hcoNamespace = args.text("hco-namespace");
  if (hcoFile !== "") {
    const files = { hco: hcoFile, facts: args.all("facts-file"), hcoNamespace: hcoNamespace || "openshift-cnv" };
    return readFiles(files, readFile, ownNamespace);
  }
  if (kubeconfig === "") throw new CommandError("either --kubeconfig or --hco-file must be specified");
  if (args.all("facts-file").length > 0) throw new CommandError("--facts-file goes with --hco-file only");
  const userAgent = `virt-operator/${version} (command)`;
  return readCluster({ kubeconfig, hcoNamespace, ownNamespace, assets: catalog.assets, userAgent });
}

type Seen = { readonly args: Arguments; readonly surroundings: Surroundings; readonly ownNamespace: string };

function worldOf(hco: KubeObject, facts: PlainFacts, { args, surroundings, ownNamespace }: Seen): World {
  const { catalog, environment } = surroundings;
  const read = readExclusions(annotationOf(hco.metadata.annotations ?? {}, "disabled-resources"));
  return buildWorld(hco, {
    lookup: lookupIn(facts),
    assets: catalog.assets,
    activation: args.text("activation") === "opt-in" ? "opt-in" : "always",
    images: readImages(environment),
    purposesOf: (profile) => catalog.profiles.find(({ name }) => name === profile)?.purposes ?? [],
    ownNamespace,
    runbookUrlTemplate: environment["RUNBOOK_URL_TEMPLATE"] || undefined,
    exclusions: read.kind === "rules" ? read.rules : undefined,
  });
}

/** A preview says what an active operator does; whether it is active depends on a flag that nobody gave. */
function activationNote(hco: KubeObject, args: Arguments): readonly string[] {
  const said = annotationOf(hco.metadata.annotations ?? {}, "autopilot") ?? "";
  if (said !== "" || args.all("activation").length > 0) return [];
  return [
    "Note: this is what an active operator does; with --activation=opt-in it idles until annotation platform.kubevirt.io/autopilot=true is set on the HyperConverged",
  ];
}
