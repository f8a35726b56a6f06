// A polyfill for Map.groupBy, because Node 20 lacks it and bundled packages call it.

export function provideGroupBy(target: { groupBy?: typeof Map.groupBy } = Map): void {
  target.groupBy ??= groupItems;
}

function groupItems<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    index += 1;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
