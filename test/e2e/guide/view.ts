// Reduces a VirtPlatformConfig to the parts that are comparable between clusters: no times or IDs, and one line per
// condition.

export type Tree = { readonly [key: string]: unknown };

type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};
type Item = { readonly name: string };

type Printed = {
  readonly metadata: Tree;
  readonly spec: Tree;
  readonly status: Tree & { readonly conditions: readonly Condition[]; readonly items?: readonly Item[] };
};

/** Compares only the presence of these fields. */
const ownOfEachCluster = ["creationTimestamp", "resourceVersion", "uid", "lastTransitionTime"];

/** Observations, which separate writes store some time after the plan. */
const observations = ["impact", "rollout"];

export function viewOf(printed: unknown): Tree {
  const { status, ...rest } = printed as Printed;
  const { conditions, items, ...stored } = status;
  const facts = Object.fromEntries(Object.entries(stored).filter(([field]) => !observations.includes(field)));
  const said = conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]);
  return withoutIdentities({
    ...rest,
    status: {
      ...facts,
      conditions: { order: conditions.map(({ type }) => type), ...Object.fromEntries(said) },
      ...(items && { items: Object.fromEntries(items.map(({ name, ...item }) => [name, item])) }),
    },
  }) as Tree;
}

function withoutIdentities(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdentities);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      ownOfEachCluster.includes(key) ? "its own" : withoutIdentities(part),
    ]),
  );
}
