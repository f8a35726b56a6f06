// The `release` command: gives up the operator's ownership of all fields, before the operator is removed.

import { fieldManagers, type KubeObject } from "@virt/api";
import { Client, clusterFor, Discovery, type InformerSpec, noLease } from "@virt/kube";
import { appliedBy, isNoFields, readOwners } from "@virt/objects";
import { managedObjects, nearest, objectName } from "@virt/platform";
import { findHco, listOnce } from "@virt/reads";
import { leasePlace } from "../identity.ts";
import { releaseObject } from "../platform/release.ts";
import {
  accessForCommand,
  type Command,
  type CommandArguments,
  type CommandContext,
  CommandError,
  type CommandResult,
  inputFlags,
} from "./command.ts";

const warning =
  "Note: an active operator takes over these objects again. First set annotation platform.kubevirt.io/virt-platform-operator=false on the HyperConverged, or uninstall the operator.";

export const releaseCommand: Command = {
  summary: "release all objects that the platform controller applied, without changing any value",
  changes: "Changes nothing without --yes",
  flags: {
    kubeconfig: {
      type: "text",
      default: "",
      help: "kubeconfig of the cluster; your permissions apply, not the operator's",
    },
    "hco-namespace": inputFlags["hco-namespace"],
    kind: { type: "text", default: "", help: "only objects of this kind" },
    name: { type: "text", default: "", help: "only objects of this name" },
    yes: { type: "boolean", default: false, help: "release the objects; without this flag, only list them" },
  },
  run: async (args, context): Promise<CommandResult> => {
    // This command writes, so it requires --kubeconfig instead of kubectl's current context.
    if (args.text("kubeconfig") === "") throw new CommandError("--kubeconfig must be specified");
    const userAgent = `virt-operator/${context.version} (command)`;
    const client = new Client({ access: accessForCommand(args, context), userAgent });
    try {
      return await releaseAll(client, args, context);
    } finally {
      client.close();
    }
  },
};

async function releaseAll(client: Client, args: CommandArguments, context: CommandContext): Promise<CommandResult> {
  const { signal } = new AbortController();
  const discovery = new Discovery(client);
  const cluster = clusterFor({ client: client.under(noLease), discovery }, signal);
  const list = (spec: InformerSpec) => listOnce(spec, { client, discovery, signal });
  const hco = await findHco(args.text("hco-namespace"), list);
  const { namespace: ownNamespace } = leasePlace("platform", context.environment["POD_NAMESPACE"], undefined);
  const places = { hcoNamespace: hco.metadata.namespace ?? "", hcoApiVersion: hco.apiVersion, ownNamespace };
  const [kind, name] = [args.text("kind"), args.text("name")];
  const all = managedObjects(context.catalog.assets, places).map(({ ref }) => ref);
  requireOneOf(
    "kind",
    kind,
    all.map((ref) => ref.kind),
  );
  requireOneOf(
    "name",
    name,
    all.map((ref) => ref.name),
  );
  const refs = all.filter((ref) => (kind === "" || ref.kind === kind) && (name === "" || ref.name === name));
  const readings = await Promise.all(refs.map(async (ref) => ({ ref, reading: await cluster.read(ref) })));
  const unread = readings.flatMap(({ ref, reading }) =>
    "message" in reading ? `${objectName(ref)}: ${reading.message}` : [],
  );
  if (unread.length > 0) throw new CommandError(`cannot read ${unread.join("; ")}`);
  const ours = readings.flatMap(({ ref, reading }) =>
    reading.kind === "found" && isOurs(reading.object) ? [{ text: objectName(ref), live: reading.object }] : [],
  );
  if (ours.length === 0) return { out: "", notes: ["There is nothing to release."] };
  if (args.text("yes") !== "true")
    return {
      out: lines(ours.map(({ text }) => text)),
      notes: ["Nothing was changed. To release these objects, repeat the command with --yes.", warning],
    };
  const done: string[] = [];
  const failures: string[] = [];
  for (const { text, live } of ours) {
    const outcome = await releaseObject(live, cluster);
    if (outcome.kind === "done") done.push(`released ${text}`);
    else failures.push(`${text}: ${"message" in outcome ? outcome.message : `${outcome.kind}, try again`}`);
  }
  return {
    out: lines(done),
    notes: [warning],
    ...(failures.length > 0 && {
      failure: `${failures.length} of ${ours.length} not released: ${failures.join("; ")}`,
    }),
  };
}

/** Rejects a filter that matches nothing, because releasing nothing would look like success. */
function requireOneOf(flag: string, word: string, words: readonly string[]): void {
  if (word === "" || words.includes(word)) return;
  const known = [...new Set(words)].toSorted();
  throw new CommandError(
    `no managed object has --${flag}=${word}; did you mean ${nearest(word, known)}? (one of ${known.join(", ")})`,
  );
}

function isOurs(live: KubeObject): boolean {
  return !isNoFields(appliedBy(readOwners(live), fieldManagers.platform));
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
