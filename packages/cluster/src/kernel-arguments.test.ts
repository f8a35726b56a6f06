import type { Json } from "@virt/objects";
import { expect, test } from "vitest";
import { argumentInForce } from "./machine-config.ts";

const cases: readonly { reason: string; given: Json | undefined; found: string | undefined }[] = [
  { reason: "an argument is found by its key", given: ["a", "psi=1", "b=2"], found: "psi=1" },
  { reason: "the last one counts", given: ["psi=1", "psi=0"], found: "psi=0" },
  { reason: "the key ends at the first equals sign", given: ["psi=1=2"], found: "psi=1=2" },
  { reason: "an argument without value has a key too", given: ["psi=1", "psi"], found: "psi" },
  { reason: "another key that starts alike is another key", given: ["psi_x=1", "xpsi=1"], found: undefined },
  { reason: "what is no text is no argument", given: [1, null, { psi: 1 }], found: undefined },
  { reason: "no list has no arguments", given: undefined, found: undefined },
];

test.each(cases)("$reason", ({ given, found }) => {
  expect(argumentInForce(given, "psi")).toBe(found);
});
