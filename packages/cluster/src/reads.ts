import type { Ref } from "@virt/api";

/** Reads the HyperConverged. */
export const hco = () => ({ read: "hco" }) as const;
/** Reads an object. The fact is undefined if the object does not exist. */
export const object = <R extends Omit<Ref, "namespace">>(ref: R) => ({ read: "object", ref }) as const;
/** Reads the openAPIV3Schema of a CRD version. The fact is undefined if the version is not served. */
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
