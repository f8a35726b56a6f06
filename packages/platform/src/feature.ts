// A feature as people choose it: one or more assets that belong together.

export type Feature = {
  /** Unique; assets name it. */
  readonly name: string;
  readonly description: string;
  readonly maturity: "GA" | "TP" | "DP";
};
