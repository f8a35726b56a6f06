import { expect, test } from "vitest";
import { requireOption } from "./profile-options.ts";

const names = ["mode", "evictionLimitTotal"];

test("rejects an unknown option and suggests a known one", () => {
  const check = (given: string) => () => requireOption("load-aware-rebalancing", given, names);
  expect(check("modde=Predictive")).toThrow(
    '--set modde=Predictive: load-aware-rebalancing has no option "modde"; did you mean mode? Available options: mode, evictionLimitTotal',
  );
  expect(check("foo=1")).not.toThrow("did you mean");
  expect(check("foo=1")).toThrow('has no option "foo". Available options:');
  expect(check("mode=Predictive")).not.toThrow();
  expect(check("mode.inner=1")).not.toThrow();
});

test("accepts any option if the profile's options are unknown", () => {
  expect(() => requireOption("p", "anything=1", undefined)).not.toThrow();
});
