// Asks a pure function once for each object. Objects never change, and one reconcile asks the same of the same ones many times.

/** Remembers the answer for each object, as long as the object lives. */
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

/** Remembers the answer for each pair of objects. */
export function oncePerPair<One extends object, Other extends object, Answer>(
  ask: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  const askOf = oncePer((one: One) => oncePer((other: Other) => ask(one, other)));
  return (one, other) => askOf(one)(other);
}
