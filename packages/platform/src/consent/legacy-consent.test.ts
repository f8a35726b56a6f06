import { expect, test } from "vitest";
import { consentObject, readConsentRecord, writeConsentRecord } from "./consent-record.ts";
import { type FirstStart, firstLegacyConsent, followLegacyConsent, type ObservedConsent } from "./legacy-consent.ts";

const first: FirstStart = { key: undefined, autopilot: "swap-enable", wasActive: true, ownsObject: true };

test.each<[string, Partial<FirstStart>, string | undefined]>([
  ["keeps the exact value at the first start", { autopilot: " swap-enable" }, " swap-enable"],
  ["keeps nothing if our key is set", { key: "true" }, undefined],
  ["keeps the value if our key is empty", { key: " " }, "swap-enable"],
  ["keeps nothing that was not active", { wasActive: false }, undefined],
  ["keeps nothing if no object is ours", { ownsObject: false }, undefined],
  ["keeps nothing without a value", { autopilot: undefined }, undefined],
])("%s", (_promise, given, autopilot) => {
  expect(firstLegacyConsent({ ...first, ...given })?.autopilot).toBe(autopilot);
});

const kept = { autopilot: "true", isEnded: false };
const now: ObservedConsent = { key: undefined, autopilot: "true", mode: "opt-in", isAutopilotPresent: true };

test.each<[string, Partial<ObservedConsent>, boolean]>([
  ["an unchanged annotation keeps the consent", {}, false],
  ["another value ends the consent", { autopilot: "false" }, true],
  ["the same value with a space ends the consent", { autopilot: "true " }, true],
  ["a removed annotation ends the consent", { autopilot: undefined }, true],
  ["our own key ends the consent", { key: "true" }, true],
])("%s", (_promise, given, isEnded) => {
  expect(followLegacyConsent(kept, { ...now, ...given })?.isEnded).toBe(isEnded);
});

test("a consent that has ended stays ended under its old value", () => {
  const ended = followLegacyConsent(kept, { ...now, autopilot: "false" });
  expect(followLegacyConsent(ended, now)).toEqual({ autopilot: "true", isEnded: true });
});

test.each<[string, Partial<ObservedConsent>, boolean]>([
  ["next to the autopilot, false ends the consent of always", { mode: "always", autopilot: "false" }, true],
  ["without the autopilot, it does not", { mode: "always", autopilot: "false", isAutopilotPresent: false }, false],
  ["with opt-in, it does not", { autopilot: "false" }, false],
  ["with our own key, it does not", { mode: "always", autopilot: "false", key: "true" }, false],
])("%s", (_promise, given, isEnded) => {
  expect(followLegacyConsent(undefined, { ...now, ...given }) !== undefined).toBe(isEnded);
});

test("a record is read as it was written", () => {
  const record = { legacy: kept };
  const object = consentObject("own", writeConsentRecord(record));
  expect(readConsentRecord(object)).toEqual({ kind: "record", record });
  expect(readConsentRecord(consentObject("own", writeConsentRecord({})))).toEqual({ kind: "record", record: {} });
  expect(readConsentRecord(undefined)).toEqual({ kind: "absent" });
});

test.each(["", "{", "[]", "{}", '{"version":2}', '{"version":1,"legacy":{"autopilot":true,"isEnded":false}}'])(
  "an unreadable record consents to nothing: %s",
  (text) => {
    expect(readConsentRecord(consentObject("own", text))).toEqual({ kind: "unreadable" });
  },
);
