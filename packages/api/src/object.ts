// Kubernetes API objects in their wire format. Only the members that all objects share are typed.

/** A JSON value. It is deeply readonly, because caches share what they have read. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** Undefined members count as absent. */
export type JsonMap = { readonly [key: string]: Json | undefined };

/** Members are absent if the API server has not set them, or if a projection dropped them. */
export type ObjectMeta = JsonMap & {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A Kubernetes object with its content as JSON. Treat it as immutable: caches and memoized functions share it. */
export type KubeObject = JsonMap & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** Absent `namespace`: the object is cluster-scoped. */
export type Ref = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
};

/** A field that another manager owns. `field` is dotted, `time` is in RFC 3339. */
export type Conflict = {
  readonly field: string;
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly time?: string;
};

/** The complete content of one of our MachineConfigs. Admission policies enforce it: it runs as root on nodes. */
export type NodeContent = {
  readonly object: KubeObject;
  /** Files whose content depends on options, by path. */
  readonly variableFiles?: Readonly<Record<string, VariableText>>;
};

/** A string with a fixed beginning and end, and only characters of the alphabet in between. */
export type VariableText = { readonly begin: string; readonly alphabet: string; readonly end: string };
