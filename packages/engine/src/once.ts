// Asks a pure function once for each object. Objects never change, and one pass asks the same of the same ones many times.

export function oncePer<One extends object, Answer>(ask: (one: One) => Answer): (one: One) => Answer {
  const known = new WeakMap<One, { readonly answer: Answer }>();
  return (one) => {
    const found = known.get(one) ?? { answer: ask(one) };
    known.set(one, found);
    return found.answer;
  };
}

export function oncePerPair<One extends object, Other extends object, Answer>(
  ask: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  const askOf = oncePer((one: One) => oncePer((other: Other) => ask(one, other)));
  return (one, other) => askOf(one)(other);
}
