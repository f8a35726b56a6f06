// Chance that leaves nothing to chance: a number made of a seed and of the words that say what it is for.

/** In [0, 1). Who asks in which order does not matter, only what for. */
export function chance(seed: number, ...words: readonly string[]): number {
  return hash(`${seed}\0${words.join("\0")}`) / 2 ** 32;
}

/** Text such as Kubernetes makes for generated names: no vowels, nothing that looks like something else. */
export function letters(count: number, seed: number, ...words: readonly string[]): string {
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from({ length: count }, (_, place) =>
    alphabet.charAt(Math.floor(chance(seed, ...words, `letter ${place}`) * alphabet.length)),
  ).join("");
}

export function uuid(seed: number, ...words: readonly string[]): string {
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
  for (let place = 0; place < text.length; place++) state = Math.imul(state ^ text.charCodeAt(place), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
