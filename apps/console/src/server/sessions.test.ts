// Tests the link token, the cookie and the key. See serve-console.integration.test.ts for when a session ends.

import { expect, test } from "vitest";
import { Sessions } from "./sessions.ts";

function startSession() {
  let made = 0;
  const sessions = new Sessions({ issuedAt: 0, randomText: () => `random-${made++}`, tokenLifetimeMs: 1_000 });
  const exchange = sessions.exchange(sessions.token, 0);
  if (exchange.kind !== "accepted") throw new Error("the token was refused");
  const { cookie, key } = exchange.secrets;
  return { sessions, cookie, key };
}

test("a token works once and differs from the cookie and the key", () => {
  const { sessions, cookie, key } = startSession();
  expect(sessions.checkSecrets(cookie, key, 0).kind).toBe("active");
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
