// Single rights, and the rules of a role that they add up to.

/** What a right is about; with a name, that object alone. */
export type Subject = {
  readonly group: string;
  /** With its subresource, if it is about that. */
  readonly resource: string;
  readonly name?: string;
  /** `*`: any; absent: it belongs to none. Roles do not know it, admission policies do. */
  readonly namespace?: string;
  /** Created by POST, which the authorizer sees without a name. */
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

/** To know an object at all times. A list or watch of one name is authorised for that name. */
export const follow: readonly Verb[] = ["list", "watch"];

export const rights = (on: Subject, ...may: readonly Verb[]): readonly Right[] => may.map((verb) => ({ ...on, verb }));

/** The shortest rules that grant these rights and no others, in an order that does not depend on theirs. */
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
