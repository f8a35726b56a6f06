// The test table of one mock CRD: the fields in our specs, a sample that sets them, and valid and invalid values.

import { type Tree, without } from "./paths.ts";

export type Subject = {
  readonly title: string;
  readonly mock: string;
  /** The genuine CRDs. Empty if none is published here: then only this table applies. */
  readonly genuine: readonly Genuine[];
  /** Paths by the place that mentions them. Each one must be tested. */
  readonly mentioned: Readonly<Record<string, readonly string[]>>;
  readonly sample: Tree;
  readonly fields: readonly Field[];
  readonly unknown?: Readonly<Record<string, unknown>>;
  readonly cases?: readonly Case[];
};

export type Genuine = {
  readonly file: string;
  /** Files of other releases with the same schema. */
  readonly twins?: readonly string[];
  /** Paths that differ from the mock's release and are not compared. */
  readonly except?: readonly string[];
};

export type Field = {
  readonly path: string;
  readonly good?: readonly unknown[];
  readonly bad?: readonly unknown[];
  readonly isRequired?: boolean;
  /** True if keys outside the schema are allowed. */
  readonly isOpen?: boolean;
  readonly isIntOrString?: boolean;
  /** True if a CRD rule checks the values. */
  readonly isRuled?: boolean;
};

/** Changes to the sample, for faults that involve several fields. */
export type Case = {
  readonly reason: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly drop?: readonly string[];
  readonly expect: "accepted" | "refused";
};

export function mentionedPaths({ mentioned }: Subject): readonly string[] {
  return [...new Set(Object.values(mentioned).flat())];
}

export function reducedFor(subject: Subject, { except = [] }: Genuine): Subject {
  const sample = except.reduce(without, subject.sample);
  return { ...subject, sample, fields: subject.fields.filter(({ path }) => !except.includes(path)) };
}
