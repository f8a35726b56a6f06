// Random numbers that a seed decides: the same seed and the same words give the same number, in any order of asking.

/** In [0, 1). Who asks in which order does not matter, only what for. */
export function seededRandom(seed: number, ...words: readonly string[]): number {
  return hash(`${seed}\0${words.join("\0")}`) / 2 ** 32;
}

/** Text such as Kubernetes makes for generated names: no vowels, nothing that looks like something else. */
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

// FNV-1a, then the finalizer of MurmurHash3: neighbouring words give numbers that have nothing in common.
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
