// `release`: hands all fields that the operator owns to nobody in particular, before it is taken away.

import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, isNoFields, readOwners } from "@virt/engine";
import { Client, clusterFor, Discovery, findAccess, type WatchSpec } from "@virt/kube";
import { managedObjects, nameOf } from "@virt/platform";
import { leasePlace } from "../identity.ts";
import { letGo } from "../platform/let-go.ts";
import { type Arguments, type Command, CommandError, type Ended, type Surroundings } from "./command.ts";
import { inputFlags } from "./input-flags.ts";
import { listOnce } from "./list-once.ts";
import { findHco } from "./read-cluster.ts";

const warning =
  "Note: an operator that is active takes them back. Set annotation platform.kubevirt.io/autopilot=false on the HyperConverged, or remove the operator, first.";

export const release: Command = {
  summary: "let go of all that the platform controller applied; every value stays as it is",
  changes: "Changes nothing without --yes",
  flags: {
    kubeconfig: { type: "text", default: "", help: "the cluster; your own rights count, not the operator's" },
    "hco-namespace": inputFlags["hco-namespace"],
    kind: { type: "text", default: "", help: "only objects of this kind" },
    name: { type: "text", default: "", help: "only objects of this name" },
    yes: { type: "boolean", default: false, help: "do it; else it is only listed" },
  },
  run: async (args, surroundings): Promise<Ended> => {
    const kubeconfig = args.text("kubeconfig");
    if (kubeconfig === "") throw new CommandError("--kubeconfig must be specified");
    const userAgent = `virt-operator/${surroundings.version} (command)`;
    const client = new Client({ access: findAccess({ env: {}, kubeconfig }), userAgent });
    try {
      return await releaseAll(client, args, surroundings);
    } finally {
      client.close();
    }
  },
};

async function releaseAll(client: Client, args: Arguments, surroundings: Surroundings): Promise<Ended> {
  const { signal } = new AbortController();
  const discovery = new Discovery(client);
  const cluster = clusterFor({ client, discovery, mayWrite: () => true }, signal);
  const list = (spec: WatchSpec) => listOnce(spec, { client, discovery, signal });
  const hco = await findHco(args.text("hco-namespace"), list);
  const { namespace: ownNamespace } = leasePlace("platform", surroundings.environment["POD_NAMESPACE"], undefined);
  const places = { hcoNamespace: hco.metadata.namespace ?? "", hcoApiVersion: hco.apiVersion, ownNamespace };
  const [kind, name] = [args.text("kind"), args.text("name")];
  const refs = managedObjects(surroundings.catalog.assets, places)
    .map(({ ref }) => ref)
    .filter((ref) => (kind === "" || ref.kind === kind) && (name === "" || ref.name === name));
  const readings = await Promise.all(refs.map(async (ref) => ({ ref, reading: await cluster.read(ref) })));
  const unread = readings.flatMap(({ ref, reading }) =>
    "message" in reading ? `${nameOf(ref)}: ${reading.message}` : [],
  );
  if (unread.length > 0) throw new CommandError(`cannot read ${unread.join("; ")}`);
  const ours = readings.flatMap(({ ref, reading }) =>
    reading.kind === "found" && isOurs(reading.object) ? [{ text: nameOf(ref), live: reading.object }] : [],
  );
  if (ours.length === 0) return { out: "", notes: ["There is nothing to release."] };
  if (args.text("yes") !== "true")
    return {
      out: lines(ours.map(({ text }) => text)),
      notes: ["Nothing was changed. Repeat with --yes to release them.", warning],
    };
  const done: string[] = [];
  const failures: string[] = [];
  for (const { text, live } of ours) {
    const outcome = await letGo(live, cluster);
    if (outcome.kind === "done") done.push(`released ${text}`);
    else failures.push(`${text}: ${"message" in outcome ? outcome.message : `${outcome.kind}, try again`}`);
  }
  return {
    out: lines(done),
    notes: [warning],
    ...(failures.length > 0 && {
      trouble: `${failures.length} of ${ours.length} not released: ${failures.join("; ")}`,
    }),
  };
}

function isOurs(live: KubeObject): boolean {
  return !isNoFields(appliedBy(readOwners(live), fieldManagers.platform));
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
