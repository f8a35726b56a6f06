// The token of the URL, and the cookie that it is exchanged for.

import { expect, test } from "vitest";
import { Sessions } from "./sessions.ts";

function sessionsAt(clock: { now: number }): Sessions {
  let made = 0;
  return new Sessions({ now: () => clock.now, randomText: () => `random-${made++}`, tokenLifetimeMs: 1_000 });
}

test("a token is good once, and the session that it gives is not the token", () => {
  const sessions = sessionsAt({ now: 0 });
  const exchange = sessions.exchange(sessions.token);
  const session = exchange.kind === "accepted" ? exchange.session : "";
  expect(sessions.has(session)).toBe(true);
  expect(sessions.has(sessions.token)).toBe(false);
  expect(sessions.exchange(sessions.token)).toEqual({ kind: "refused", why: "used" });
});

test("a token that is too old is refused, and so is any other text", () => {
  const clock = { now: 0 };
  const sessions = sessionsAt(clock);
  clock.now = 1_001;
  expect(sessions.exchange(sessions.token)).toEqual({ kind: "refused", why: "expired" });
  expect(sessions.exchange("guess")).toEqual({ kind: "refused", why: "unknown" });
  expect(sessions.has(undefined)).toBe(false);
});
