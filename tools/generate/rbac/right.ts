export type Subject = {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  /** `*` is any namespace. Absent for cluster-scoped kinds. Only admission policies use it, and roles do not. */
  readonly namespace?: string;
  /** True if the object is created by POST, for which the authorizer sees no name. */
  readonly isPosted?: boolean;
};

export type Right = Subject & { readonly verb: Verb };

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
export type Verb = (typeof verbs)[number];

export type RoleRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
};

/** The verbs of an informer. For a list or watch of a single object, the authorizer checks the name. */
export const follow: readonly Verb[] = ["list", "watch"];

export const rights = (on: Subject, ...may: readonly Verb[]): readonly Right[] => may.map((verb) => ({ ...on, verb }));

/** Returns the smallest set of rules that grants exactly these permissions, in a stable order. */
export function rulesOf(granted: readonly Right[]): readonly RoleRule[] {
  const kinds = Map.groupBy(granted, ({ group, resource }) => `${group}/${resource}`);
  return [...kinds].toSorted(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, all]) => rulesOfKind(all));
}

function rulesOfKind(granted: readonly Right[]): readonly RoleRule[] {
  const [{ group, resource } = { group: "", resource: "" }] = granted;
  const kind = { apiGroups: [group], resources: [resource] };
  const onAll = new Set(granted.filter((right) => !isPinned(right)).map(({ verb }) => verb));
  const pinned = granted.filter((right) => isPinned(right) && !onAll.has(right.verb));
  return [
    ...(onAll.size > 0 ? [{ ...kind, verbs: inOrder(onAll) }] : []),
    ...namesByVerbs(pinned).map((rule) => ({ ...kind, ...rule })),
  ];
}

function isPinned({ name, verb, isPosted = false }: Right): boolean {
  return name !== undefined && !(isPosted && verb === "create");
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
