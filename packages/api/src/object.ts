// Kubernetes objects as JSON. Only the fields that all objects have are typed.

/** A JSON value. It is deeply readonly, because caches share what they have read. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** A JSON object. Undefined fields count as absent. */
export type JsonMap = { readonly [key: string]: Json | undefined };

/** Object metadata. A field is absent if the API server has not set it, or if the cache does not keep it. */
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

/** A reference to an object. `namespace` is absent for cluster-scoped objects. */
export type Ref = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
};

/** A field that another manager owns. `field` is a dotted path, and `time` is in RFC 3339 format. */
export type Conflict = {
  readonly field: string;
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly time?: string;
};

/** The complete content of one of our MachineConfigs. Admission policies enforce it, because its scripts run as root on nodes. */
export type NodeContent = {
  readonly object: KubeObject;
  /** Files whose content depends on options, by path. */
  readonly variableFiles?: Readonly<Record<string, VariableText>>;
};

/** A string with a fixed beginning and end. In between, only characters from `alphabet` are allowed. */
export type VariableText = { readonly begin: string; readonly alphabet: string; readonly end: string };
