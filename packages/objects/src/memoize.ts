// Caches the results of pure functions per object, because objects are immutable.

/** Caches the results of a pure function as long as its argument exists. */
export function oncePer<One extends object, Answer>(ask: (one: One) => Answer): (one: One) => Answer {
  const known = new WeakMap<One, Answer>();
  return (one) => {
    const found = known.get(one);
    if (found !== undefined || known.has(one)) return found as Answer;
    const answer = ask(one);
    known.set(one, answer);
    return answer;
  };
}

/** Caches the results of a pure function as long as both arguments exist. */
export function oncePerPair<One extends object, Other extends object, Answer>(
  ask: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  const askOf = oncePer((one: One) => oncePer((other: Other) => ask(one, other)));
  return (one, other) => askOf(one)(other);
}
