// Read declarations that profiles and assets share.

import type { Ref } from "@virt/api";

/** Reads the HyperConverged. */
export const hco = () => ({ read: "hco" }) as const;
/** The value is undefined if the object does not exist. */
export const object = <R extends Omit<Ref, "namespace">>(ref: R) => ({ read: "object", ref }) as const;
/** The openAPIV3Schema of a CRD version, or undefined if the version is not served. */
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
