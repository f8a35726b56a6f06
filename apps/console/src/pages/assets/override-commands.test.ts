import { expect, test } from "vitest";
import { assetStrings } from "../asset-strings.ts";
import { fillOverride } from "./override-commands.ts";

const object = { spec: { strategy: "LiveMigrate", limits: { "a.b": 5 }, note: "$(reboot)'", list: [1] } };
const filled = (...fields: readonly string[]) =>
  assetStrings.overrideCommands.map(({ annotation }) => fillOverride(annotation, fields, object));

test("fills override commands with a field and its value", () => {
  expect(filled("/spec/strategy")).toEqual([
    `patch='[{"op":"add","path":"/spec/strategy","value":"LiveMigrate"}]'`,
    "ignore-fields=/spec/strategy",
    "mode=unmanaged",
  ]);
  expect(filled("/spec/limits/a.b")[0]).toBe(`patch='[{"op":"add","path":"/spec/limits/a.b","value":5}]'`);
});

test("keeps unsafe text out of override commands", () => {
  expect(filled("/spec/note")[0]).toBe(`patch='[{"op":"add","path":"/spec/note","value":…}]'`);
  expect(filled("/spec/$(reboot)", "/spec/a'b", "/spec/a~1b", "/spec/list")).toEqual(filled("/spec/list"));
  expect(filled("/spec/$(reboot)")).toEqual(assetStrings.overrideCommands.map(({ annotation }) => annotation));
});
