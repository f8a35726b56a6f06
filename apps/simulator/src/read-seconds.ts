// Reads durations as people write them: 90, 90s, 5m, 1h30m.

/** Undefined if the text is no duration. */
export function readSeconds(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text.trim());
  if (match === null || text.trim() === "") return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}
