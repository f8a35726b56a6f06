// Tests in virtual time the token of the link, the cookie and the key, and their expiry.

import { expect, test } from "vitest";
import { Sessions } from "./sessions.ts";

const minutes = 60_000;
const hours = 60 * minutes;

function startSession() {
  let made = 0;
  const sessions = new Sessions({ issuedAt: 0, randomText: () => `random-${made++}`, tokenLifetimeMs: 1_000 });
  const exchange = sessions.exchange(sessions.token, 0);
  if (exchange.kind !== "accepted") throw new Error("the token was refused");
  const { cookie, key } = exchange.secrets;
  const check = (now: number) => sessions.checkSecrets(cookie, key, now);
  const act = (now: number) => {
    const checked = check(now);
    if (checked.kind === "active") checked.session.recordActivity(now);
  };
  return { sessions, cookie, key, check, act };
}

test("a token works once and differs from the cookie and the key", () => {
  const { sessions, cookie, key, check } = startSession();
  expect(check(0).kind).toBe("active");
  expect(new Set([sessions.token, cookie, key]).size).toBe(3);
  expect(sessions.checkCookie(sessions.token, 0)).toEqual({ kind: "refused", why: "unknown" });
  expect(sessions.exchange(sessions.token, 0)).toEqual({ kind: "refused", why: "used" });
});

test("rejects an expired token and any other text", () => {
  const sessions = new Sessions({ issuedAt: 0, randomText: () => "random", tokenLifetimeMs: 1_000 });
  expect(sessions.exchange(sessions.token, 1_001)).toEqual({ kind: "refused", why: "expired" });
  expect(sessions.exchange("guess", 0)).toEqual({ kind: "refused", why: "unknown" });
  expect(sessions.checkCookie(undefined, 0)).toEqual({ kind: "refused", why: "unknown" });
});

test("a cookie without its key opens nothing but the files", () => {
  const { sessions, cookie, key } = startSession();
  for (const wrong of [undefined, "", "guess", cookie])
    expect(sessions.checkSecrets(cookie, wrong, 0)).toEqual({ kind: "refused", why: "unknown" });
  expect(sessions.checkSecrets(undefined, key, 0)).toEqual({ kind: "refused", why: "unknown" });
  expect(sessions.checkCookie(cookie, 0).kind).toBe("active");
});

test("requests without user activity do not prolong a session", () => {
  const { check, act } = startSession();
  for (let now = 0; now < 30 * minutes; now += minutes) expect(check(now).kind).toBe("active");
  expect(check(30 * minutes)).toEqual({ kind: "refused", why: "idle" });
  act(30 * minutes);
  expect(check(30 * minutes)).toEqual({ kind: "refused", why: "idle" });
});

test("an active session ends after 12 hours", () => {
  const { check, act } = startSession();
  for (let now = 0; now < 12 * hours; now += 20 * minutes) {
    expect(check(now).kind).toBe("active");
    act(now);
  }
  expect(check(12 * hours - 1).kind).toBe("active");
  expect(check(12 * hours)).toEqual({ kind: "refused", why: "expired" });
});

test("activity restarts the 30 minutes", () => {
  const { check, act } = startSession();
  act(29 * minutes);
  expect(check(58 * minutes).kind).toBe("active");
  expect(check(59 * minutes)).toEqual({ kind: "refused", why: "idle" });
});
