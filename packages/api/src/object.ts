// Objects of the Kubernetes API as they are on the wire; only what every object has is typed.

/** What JSON can hold. Readonly all through: nothing that was read is changed in place. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** A property that is undefined counts as absent. */
export type JsonMap = { readonly [key: string]: Json | undefined };

/** Absent members: the API server has not set them, or a projection dropped them. */
export type ObjectMeta = JsonMap & {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** Any object; only what every object has is typed. */
export type KubeObject = JsonMap & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** Which object: no namespace if it is cluster scoped. */
export type Ref = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
};

/** A field that another manager owns. */
export type Conflict = {
  readonly field: string;
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly time?: string;
};

/**
 * The whole content of a MachineConfig of ours, which runs as root on nodes: admission policies hold our accounts to it, so
 * that a stolen token writes nothing else.
 */
export type NodeContent = {
  readonly object: KubeObject;
  /** Files whose text is not the same for everybody, by path. */
  readonly variableFiles?: Readonly<Record<string, VariableText>>;
};

/** A fixed beginning and end, and between them signs of an alphabet. */
export type VariableText = { readonly begin: string; readonly alphabet: string; readonly end: string };
