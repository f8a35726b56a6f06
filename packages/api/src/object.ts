// Objects of the Kubernetes API as they are on the wire; only what every object has is typed.

export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** A property that is undefined counts as absent. */
export type JsonMap = { readonly [key: string]: Json | undefined };

export type ObjectMeta = JsonMap & {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

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
