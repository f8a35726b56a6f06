// A duration as people say it, rounded outward.

import type { DurationBounds } from "./duration.ts";

const hour = 3600;

/** Such as `10–35 min`, `55 min to 4 h`, `2–13 h` or `up to 15 min`. */
export function durationText({ low, high }: DurationBounds): string {
  if (high < hour) return join(minutesDown(low), minutesUp(high), "min");
  const step = high <= 10 * hour ? hour / 2 : hour;
  const most = Math.ceil(high / step) * (step / hour);
  if (low >= hour) return join(Math.floor(low / step) * (step / hour), most, "h");
  const least = minutesDown(low);
  return least === 0 ? `up to ${most} h` : `${least} min to ${most} h`;
}

// Steps of five minutes.
function minutesDown(seconds: number): number {
  return Math.floor(seconds / 300) * 5;
}

function minutesUp(seconds: number): number {
  return Math.ceil(seconds / 300) * 5;
}

function join(least: number, most: number, unit: string): string {
  if (least === most) return `${most} ${unit}`;
  return least === 0 ? `up to ${most} ${unit}` : `${least}–${most} ${unit}`;
}
