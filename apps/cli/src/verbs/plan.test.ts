import { expect, test } from "vitest";
import { withOption } from "./plan.ts";

test("sets members of objects, and keeps the others", () => {
  const options = withOption({ fenceAgentsTemplate: { namespace: "bmc" } }, "fenceAgentsTemplate.name=ipmi");
  expect(options).toEqual({ fenceAgentsTemplate: { namespace: "bmc", name: "ipmi" } });
});

test("reads a number as a string if the option is one", () => {
  const texts = ["minHealthy", "fenceAgentsTemplate.name"];
  expect(withOption({}, "minHealthy=2", texts)).toEqual({ minHealthy: "2" });
  expect(withOption({}, "fenceAgentsTemplate.name=007", texts)).toEqual({ fenceAgentsTemplate: { name: "007" } });
  expect(withOption({}, 'minHealthy="2"', texts)).toEqual({ minHealthy: "2" });
  expect(withOption({}, "minHealthy=null", texts)).toEqual({ minHealthy: null });
  expect(withOption({}, "unhealthySeconds=90", texts)).toEqual({ unhealthySeconds: 90 });
});
