// Compares resource versions, which are decimal numbers of any length.

/** Below zero: older. Zero: equal. Above zero: newer. Undefined: not comparable. */
function compareVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!isDecimal(left) || !isDecimal(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

/** Reports whether `left` is older than `right`. False if the versions cannot be compared. */
export function isOlder(left: string, right: string): boolean {
  return (compareVersions(left, right) ?? 0) < 0;
}

/** Reports whether a state with version `seen` contains the write with version `written`. */
export function reaches(seen: string, written: string): boolean {
  return (compareVersions(seen, written) ?? 0) >= 0;
}

function isDecimal(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
