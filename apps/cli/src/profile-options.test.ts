import { expect, test } from "vitest";
import { requireOption } from "./profile-options.ts";

const names = ["mode", "evictionLimitTotal"];

test("an option that the profile does not have is an error with a suggestion", () => {
  const check = (given: string) => () => requireOption("load-aware-rebalancing", given, names);
  expect(check("modde=Predictive")).toThrow(
    '--set modde=Predictive: load-aware-rebalancing has no option "modde"; did you mean mode? Available options: mode, evictionLimitTotal',
  );
  expect(check("foo=1")).not.toThrow("did you mean");
  expect(check("foo=1")).toThrow('has no option "foo". Available options:');
  expect(check("mode=Predictive")).not.toThrow();
  expect(check("mode.inner=1")).not.toThrow();
});

test("without a list of options the API server decides", () => {
  expect(() => requireOption("p", "anything=1", undefined)).not.toThrow();
});
