// What is known of the cluster when assets are judged. Gathered by a shell; nothing here asks anybody.

import type { KubeObject, Ref } from "@virt/api";
import type { GovernorConfig, Purposes } from "@virt/engine";
import type { Activation } from "../activation.ts";
import type { ExclusionRule } from "../disabled-resources.ts";
import type { Hardware } from "../hardware.ts";
import type { HcoFact } from "../hco-fact.ts";
import type { FactOf, Read } from "../reads.ts";
import type { Topology } from "../topology.ts";

/** A read that failed is not an empty one. */
export type Fact =
  | { readonly kind: "known"; readonly value: FactOf<Read> }
  | { readonly kind: "unavailable"; readonly why: string };

export type World = {
  /** The HyperConverged as it is in force; undefined: there is none, or nobody can say which. */
  readonly hco: HcoFact | undefined;
  readonly activation: Activation;
  /** What every asset is judged by and nobody could read yet: nothing may be concluded from it. */
  readonly unread: string | undefined;
  /** The last valid rules; undefined: none are known since the start, and nothing may be written. */
  readonly exclusions: readonly ExclusionRule[] | undefined;
  /** Short keys of device annotations that cannot be read. */
  readonly brokenDevices: readonly string[];
  readonly hardware: Hardware;
  readonly topology: Topology;
  readonly images: Readonly<Record<string, string>>;
  /** Names of the installed CRDs. */
  readonly crds: ReadonlySet<string>;
  readonly plans: readonly GovernorConfig[];
  readonly purposesOf: Purposes;
  /** Undefined: not known yet. */
  readonly hasNamespace: (name: string) => boolean | undefined;
  readonly fact: (read: Read) => Fact;
  readonly live: (ref: Ref) => KubeObject | undefined;
  /** Objects of a kind beside ours, by their metadata. */
  readonly others: (apiVersion: string, kind: string) => readonly KubeObject[];
  /** Why nobody can say yet whether an object is there, or without its name which ones of the kind are. */
  readonly unlisted: (sought: Omit<Ref, "name"> & Partial<Ref>) => string | undefined;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate?: string | undefined;
};
