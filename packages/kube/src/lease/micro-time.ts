// Writes times as Kubernetes' MicroTime.

/** Six fractional digits: with the three of `toISOString` the API server answers 400 to a Lease or an Event. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace("Z", "000Z");
}
