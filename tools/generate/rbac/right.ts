// Single rights, and the rules of a role that they add up to.

/** One verb on one kind of object; with a name, on that object alone. */
export type Right = {
  readonly group: string;
  readonly resource: string;
  readonly verb: Verb;
  readonly name?: string;
};

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
export type Verb = (typeof verbs)[number];

export type RoleRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
};

/** To know an object at all times. */
export const follow: readonly Verb[] = ["get", "list", "watch"];

export const rights = (
  on: { readonly group: string; readonly resource: string; readonly name?: string },
  ...may: readonly Verb[]
): readonly Right[] => may.map((verb) => ({ ...on, verb }));

/** The shortest rules that grant these rights and no others, in an order that does not depend on theirs. */
export function rulesOf(granted: readonly Right[]): readonly RoleRule[] {
  const kinds = Map.groupBy(granted, ({ group, resource }) => `${group}/${resource}`);
  return [...kinds].toSorted(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, all]) => rulesOfKind(all));
}

function rulesOfKind(granted: readonly Right[]): readonly RoleRule[] {
  const [{ group, resource } = { group: "", resource: "" }] = granted;
  const kind = { apiGroups: [group], resources: [resource] };
  const onAll = new Set(granted.filter(({ name }) => name === undefined).map(({ verb }) => verb));
  const pinned = granted.filter(({ name, verb }) => name !== undefined && !onAll.has(verb));
  return [
    ...(onAll.size > 0 ? [{ ...kind, verbs: inOrder(onAll) }] : []),
    ...namesByVerbs(pinned).map((rule) => ({ ...kind, ...rule })),
  ];
}

function namesByVerbs(pinned: readonly Right[]): readonly Pick<RoleRule, "resourceNames" | "verbs">[] {
  const names = [...new Set(pinned.flatMap(({ name = [] }) => name))].toSorted();
  const granted = names.map((name) => {
    const own = pinned.filter((right) => right.name === name).map(({ verb }) => verb);
    return { name, verbs: inOrder(new Set(own)) };
  });
  const alike = Map.groupBy(granted, ({ verbs }) => verbs.join());
  return [...alike.values()].map((all) => ({
    resourceNames: all.map(({ name }) => name),
    verbs: all[0]?.verbs ?? [],
  }));
}

const inOrder = (some: ReadonlySet<Verb>): readonly Verb[] => verbs.filter((verb) => some.has(verb));
