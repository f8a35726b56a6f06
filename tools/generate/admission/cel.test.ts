import { contentForms } from "@virt/api";
import { expect, test } from "vitest";
import { celForm } from "./cel.ts";

const { either, integer, oneOf } = contentForms;

test("a value may have any of several forms", () => {
  const check = celForm(either(oneOf("51%"), integer(0, 9)), "value");
  expect(check).toBe('(value == dyn("51%")) || (type(value) == int && int(value) >= 0 && int(value) <= 9)');
});
