import type { DurationBounds } from "./duration.ts";

const hour = 3600;

/** Returns a string such as `10–35 minutes`, `55 minutes to 4 hours`, `2–13 hours` or `up to 15 minutes`. */
export function durationText({ low, high }: DurationBounds): string {
  if (high < hour) return join(minutesDown(low), minutesUp(high), "minute");
  const step = high <= 10 * hour ? hour / 2 : hour;
  const most = Math.ceil(high / step) * (step / hour);
  if (low >= hour) return join(Math.floor(low / step) * (step / hour), most, "hour");
  const least = minutesDown(low);
  return least === 0 ? `up to ${counted(most, "hour")}` : `${least} minutes to ${counted(most, "hour")}`;
}

function minutesDown(seconds: number): number {
  return Math.floor(seconds / 300) * 5;
}

function minutesUp(seconds: number): number {
  return Math.ceil(seconds / 300) * 5;
}

function join(least: number, most: number, unit: string): string {
  if (least === most) return counted(most, unit);
  return least === 0 ? `up to ${counted(most, unit)}` : `${least}–${counted(most, unit)}`;
}

function counted(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
