// The word that somebody may have meant.

/** Of equally near words the first one. */
export function nearest(word: string, words: readonly string[]): string {
  const ranked = words.map((other) => ({ other, steps: distance(word.slice(0, longest), other) }));
  return ranked.reduce((best, each) => (each.steps < best.steps ? each : best), { other: "", steps: Infinity }).other;
}

// Keys have 63 characters at most, and words that are longer are not near anything.
const longest = 64;

/** Levenshtein: how many letters are to be put in, taken out or changed. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let above = 0; above < left.length; above++) {
    const next = [above + 1];
    for (let at = 1; at <= right.length; at++) {
      const changed = (row[at - 1] ?? 0) + (left[above] === right[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
