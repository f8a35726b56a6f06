import { expect, test } from "vitest";
import { annotated, thing } from "./kept-object.ts";
import { type Overrides, readOverrides } from "./overrides.ts";

const none: Overrides = {
  patch: undefined,
  ignoreFields: undefined,
  mode: "managed",
  isAdopted: false,
  isPaused: false,
};
const cases: readonly { reason: string; said: Parameters<typeof annotated>[0]; overrides: Partial<Overrides> }[] = [
  { reason: "nothing said is nothing overridden", said: {}, overrides: {} },
  {
    reason: "texts are trimmed",
    said: { patch: " [] ", ignoreFields: " /spec/a\n" },
    overrides: { patch: "[]", ignoreFields: "/spec/a" },
  },
  { reason: "an empty text says nothing", said: { patch: " ", ignoreFields: "", mode: "" }, overrides: {} },
  { reason: "unmanaged is a mode", said: { mode: " unmanaged" }, overrides: { mode: "unmanaged" } },
  { reason: "managed is the usual one", said: { mode: "managed" }, overrides: {} },
  {
    reason: "another mode is none, with its case",
    said: { mode: "Unmanaged" },
    overrides: { mode: { invalid: "Unmanaged" } },
  },
  {
    reason: "true adopts and pauses",
    said: { adopt: "true", paused: "true " },
    overrides: { isAdopted: true, isPaused: true },
  },
  { reason: "nothing else does", said: { adopt: "True", paused: "1" }, overrides: {} },
];

test.each(cases)("$reason", ({ said, overrides }) => {
  expect(readOverrides(thing({}, annotated(said)))).toEqual({ ...none, ...overrides });
});

test("an object that is not there says nothing", () => expect(readOverrides(undefined)).toEqual(none));
