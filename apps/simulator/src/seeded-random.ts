// Deterministic random numbers: the same seed and words always give the same number, regardless of the order of calls.

export function seededRandom(seed: number, ...words: readonly string[]): number {
  return hash(`${seed}\0${words.join("\0")}`) / 2 ** 32;
}

/** Returns a suffix like those in generated Kubernetes names, without vowels or ambiguous characters. */
export function seededSuffix(count: number, seed: number, ...words: readonly string[]): string {
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from({ length: count }, (_, index) =>
    alphabet.charAt(Math.floor(seededRandom(seed, ...words, `letter ${index}`) * alphabet.length)),
  ).join("");
}

export function seededUuid(seed: number, ...words: readonly string[]): string {
  const part = (name: string) =>
    hash(`${seed}\0${words.join("\0")}\0${name}`)
      .toString(16)
      .padStart(8, "0");
  const [a, b, c, d] = ["a", "b", "c", "d"].map(part) as [string, string, string, string];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

// FNV-1a hash with the MurmurHash3 finalizer, so that similar words give unrelated numbers.
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
