// What is asked about one mock CRD: which fields our specs mention, a sample that fills them, and values that are right or wrong.

import { type Tree, without } from "./paths.ts";

export type Subject = {
  /** As in "a KubeDescheduler of 4.17". */
  readonly title: string;
  /** A file of config/crd/mocks. */
  readonly mock: string;
  /** What it must agree with. None: nobody published one here, so the mock is held to this table alone. */
  readonly genuine: readonly Genuine[];
  /** Paths by the place that mentions them. Each of them must be asked about. */
  readonly mentioned: Readonly<Record<string, readonly string[]>>;
  /** A valid object with a value at the path of every field. */
  readonly sample: Tree;
  readonly fields: readonly Field[];
  /** Fields of other releases, which must be refused here. */
  readonly unknown?: Readonly<Record<string, unknown>>;
  readonly cases?: readonly Case[];
};

export type Genuine = {
  /** A file of ../shared/crds. */
  readonly file: string;
  /** Files of other releases with the same schema. */
  readonly twins?: readonly string[];
  /** Paths in which this release differs from the mock's; they are left out of this comparison. */
  readonly except?: readonly string[];
};

export type Field = {
  readonly path: string;
  /** Values that are right, besides the sample's. */
  readonly good?: readonly unknown[];
  readonly bad?: readonly unknown[];
  readonly isRequired?: boolean;
  /** Takes keys that no schema names. */
  readonly isOpen?: boolean;
  readonly isIntOrString?: boolean;
  /** A rule of the CRD has a say in its values. */
  readonly isRuled?: boolean;
};

/** The sample with some changes, where one field alone does not decide. */
export type Case = {
  readonly reason: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly drop?: readonly string[];
  readonly expect: "accepted" | "refused";
};

export function mentionedPaths({ mentioned }: Subject): readonly string[] {
  return [...new Set(Object.values(mentioned).flat())];
}

/** The questions that make sense to a genuine CRD of another release. */
export function reducedFor(subject: Subject, { except = [] }: Genuine): Subject {
  const sample = except.reduce(without, subject.sample);
  return { ...subject, sample, fields: subject.fields.filter(({ path }) => !except.includes(path)) };
}
