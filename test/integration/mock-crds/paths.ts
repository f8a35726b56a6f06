// Reads and changes values by paths such as spec.groups[].labels{}: [] is the first element of a list, {} the first key
// of a map.

export type Tree = Readonly<Record<string, unknown>>;

type Step = string | typeof firstOf;
const firstOf = Symbol("first element or key");

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(object: unknown, path: string): unknown {
  return stepsOf(path).reduce(child, object);
}

/** Returns a copy with this value at the path. Creates missing parents. Undefined removes the path. */
export function withValue(object: Tree, path: string, value: unknown): Tree {
  return changed(object, stepsOf(path), value) as Tree;
}

export function without(object: Tree, path: string): Tree {
  return valueAt(object, path) === undefined ? object : withValue(object, path, undefined);
}

/** Returns the values at a path, in which [] and {} stand for all elements and keys. */
export function valuesAt(object: unknown, path: string): readonly unknown[] {
  return stepsOf(path).reduce<readonly unknown[]>(
    (found, step) => found.flatMap((value) => (step === firstOf ? children(value) : [child(value, step)])),
    [object],
  );
}

/** Returns the path as the API server writes it: spec.groups[0].labels.severity. */
export function spelledOut(object: unknown, path: string): string {
  let value = object;
  return stepsOf(path)
    .reduce((text: string, step) => {
      const key = step === firstOf ? keyOf(value) : `.${step}`;
      value = child(value, step);
      return `${text}${key}`;
    }, "")
    .slice(1);
}

export function areNested(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long === short || (long.startsWith(short) && /^[.[{]/.test(long.slice(short.length)));
}

function stepsOf(path: string): readonly Step[] {
  return path.split(".").flatMap((part) => {
    const name = part.replace(/(\[\]|\{\})$/, "");
    return name === part ? [name] : [name, firstOf];
  });
}

function child(value: unknown, step: Step): unknown {
  if (step === firstOf) return children(value)[0];
  return isTree(value) ? value[step] : undefined;
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isTree(value) ? Object.values(value) : [];
}

function keyOf(value: unknown): string {
  return isTree(value) ? `.${Object.keys(value)[0]}` : "[0]";
}

function changed(value: unknown, [step, ...rest]: readonly Step[], leaf: unknown): unknown {
  if (step === undefined) return leaf;
  if (Array.isArray(value)) return [changed(value[0], rest, leaf), ...value.slice(1)];
  const tree = isTree(value) ? value : {};
  const key = step === firstOf ? (Object.keys(tree)[0] ?? "key") : step;
  return { ...tree, [key]: changed(tree[key], rest, leaf) };
}
