import type { Json } from "@virt/objects";
import { expect, test } from "vitest";
import { argumentInForce } from "./machine-config.ts";

const cases: readonly { reason: string; given: Json | undefined; found: string | undefined }[] = [
  { reason: "finds an argument by its key", given: ["a", "psi=1", "b=2"], found: "psi=1" },
  { reason: "returns the last one", given: ["psi=1", "psi=0"], found: "psi=0" },
  { reason: "the key ends at the first equals sign", given: ["psi=1=2"], found: "psi=1=2" },
  { reason: "finds an argument without a value", given: ["psi=1", "psi"], found: "psi" },
  { reason: "ignores a key with the same start", given: ["psi_x=1", "xpsi=1"], found: undefined },
  { reason: "ignores elements that are not text", given: [1, null, { psi: 1 }], found: undefined },
  { reason: "ignores a value that is not a list", given: undefined, found: undefined },
];

test.each(cases)("$reason", ({ given, found }) => {
  expect(argumentInForce(given, "psi")).toBe(found);
});
