import { expect, test } from "vitest";
import { type OptionField, optionsPatch, optionTexts, readOptionForm } from "./option-form.ts";

const fields: readonly OptionField[] = [
  { name: "interval", type: "integer", minimum: 60, maximum: 86_400, default: 60 },
  { name: "mode", type: "string", enum: ["Automatic", "Predictive"], default: "Automatic" },
  { name: "psi", type: "boolean" },
  { name: "ksm", type: "object" },
];

test("round-trips options through form texts", () => {
  const given = { interval: 120, psi: false, ksm: { enabled: true } };
  const texts = optionTexts(fields, given);
  expect(texts).toEqual({ interval: "120", mode: "", psi: "false", ksm: '{"enabled":true}' });
  expect(readOptionForm(fields, texts)).toEqual({ kind: "valid", options: given });
});

test.each([
  ["interval", "59", "too-small"],
  ["interval", "86401", "too-large"],
  ["interval", "1.5", "not-integer"],
  ["mode", "Predictiv", "not-listed"],
  ["psi", "yes", "not-listed"],
  ["ksm", "{enabled", "not-object"],
  ["ksm", "[]", "not-object"],
])("rejects %s=%s before it is sent: %s", (name, text, error) => {
  expect(readOptionForm(fields, { [name]: text })).toEqual({ kind: "invalid", errors: { [name]: error } });
});

test("clears an emptied option so that its default applies", () => {
  expect(optionsPatch({ interval: 120, psi: true }, { psi: true })).toEqual({ interval: null, psi: true });
  expect(optionsPatch({ ksm: { enabled: true, nodes: {} } }, { ksm: { enabled: false } })).toEqual({
    ksm: { nodes: null, enabled: false },
  });
});
