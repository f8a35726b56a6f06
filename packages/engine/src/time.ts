// Points in time as the API writes them (RFC 3339), for code that has no Date: milliseconds since 1970, UTC.

const date = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const clock = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?$/;
const zone = /^(?:Z|([-+])([0-9]{2}):([0-9]{2}))$/i;
const dayMs = 86_400_000;

/** Undefined if the text is no time. A fraction is cut to milliseconds. */
export function readTime(text: string): number | undefined {
  const [days, time] = text.split(/[Tt]/, 2);
  const at = time?.search(/[Zz+-]/) ?? -1;
  const parts = [readDate(days ?? ""), readClock(time?.slice(0, at) ?? ""), readZone(time?.slice(at) ?? "")];
  return at < 0
    ? undefined
    : parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
}

function readDate(text: string): number | undefined {
  const [, year = 0, month = 0, day = 0] = (date.exec(text) ?? []).map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isDate ? daysBefore(year, month, day) * dayMs : undefined;
}

function readClock(text: string): number | undefined {
  const match = clock.exec(text);
  const [, hour = 24, minute = 0, second = 0] = (match ?? []).map(Number);
  const fraction = Number((match?.[4] ?? "").slice(0, 3).padEnd(3, "0"));
  return hour < 24 && minute < 60 && second < 60 ? ((hour * 60 + minute) * 60 + second) * 1000 + fraction : undefined;
}

// What has to be added to a local time to make it UTC.
function readZone(text: string): number | undefined {
  const match = zone.exec(text);
  const [hour = 0, minute = 0] = (match ?? []).slice(2).map((each) => Number(each ?? 0));
  if (match === null || hour > 23 || minute > 59) return undefined;
  return (hour * 60 + minute) * (match[1] === "-" ? 60_000 : -60_000);
}

/** Whole seconds as the API server writes them; milliseconds only where there are some. Years 0 to 9999. */
export function writeTime(ms: number): string {
  const { year, month, day } = dateOf(Math.floor(ms / dayMs));
  const rest = ms - Math.floor(ms / dayMs) * dayMs;
  const clock = [3_600_000, 60_000, 1000].map((unit, at) => digits(Math.floor(rest / unit) % (at === 0 ? 24 : 60), 2));
  const fraction = rest % 1000 === 0 ? "" : `.${digits(rest % 1000, 3)}`;
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}T${clock.join(":")}${fraction}Z`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

// Days from 1970-01-01 in the Gregorian calendar. A year is counted from March, so that a leap day ends it.
function daysBefore(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Math.floor((months * 153 + 2) / 5) + day - 1 - 719_468;
}

function dateOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const guess = Math.floor((days + 719_468) / 365.2425);
  const year = [guess + 1, guess, guess - 1].find((each) => daysBefore(each, 3, 1) <= days) ?? guess;
  const ofYear = days - daysBefore(year, 3, 1);
  const months = Math.floor((ofYear * 5 + 2) / 153);
  const month = ((months + 2) % 12) + 1;
  return { year: month > 2 ? year : year + 1, month, day: ofYear - Math.floor((months * 153 + 2) / 5) + 1 };
}
