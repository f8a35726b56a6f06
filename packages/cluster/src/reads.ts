import type { Ref } from "@virt/api";
import type { ReadParts } from "./informers.ts";

/** Reads the HyperConverged. */
export const hco = () => ({ read: "hco" }) as const;
/** Reads an object. Undefined if it does not exist. */
export const object = <R extends Omit<Ref, "namespace">>(ref: R) => ({ read: "object", ref }) as const;
/** Reads all objects of a kind: their metadata and these parts. */
export const objects = (apiVersion: string, kind: string, parts: ReadParts = []) =>
  ({ read: "objects", apiVersion, kind, parts }) as const;
/** Reads the openAPIV3Schema of a CRD version. Undefined if the version is not served. */
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;
