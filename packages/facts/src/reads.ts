// What a profile or an asset may declare to read: the words that both share.

import type { Ref } from "@virt/api";

/** The HyperConverged that counts. */
export const hco = () => ({ read: "hco" }) as const;
/** One object by its name; undefined where it is absent. */
export const object = <R extends Omit<Ref, "namespace">>(ref: R) => ({ read: "object", ref }) as const;
/** The openAPIV3Schema of a version of a CRD; undefined where it is not served. */
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
