import { expect, test } from "vitest";
import { didYouMean, nearest } from "./annotation-values.ts";

const booleans = ["true", "false"];

test.each([
  ["ture", booleans, "; did you mean true?"],
  ["TRUE", booleans, "; did you mean true?"],
  ["yes", booleans, "; did you mean true?"],
  ["Off", booleans, "; did you mean false?"],
  ["swap-enabel", ["true", "swap-enable", "psi-enable"], "; did you mean swap-enable?"],
  ["something", booleans, ""],
  ["yes", ["unmanaged", "managed"], ""],
  ["", booleans, ""],
])("%j among %j: %j", (word, words, text) => expect(didYouMean(word, words)).toBe(text));

test("suggests the first of the nearest words in any case", () => {
  expect(nearest("kubeletconfig", ["MachineConfig", "KubeletConfig"])).toBe("KubeletConfig");
  expect(nearest("x", ["aa", "bb"])).toBe("aa");
  expect(nearest("x", [])).toBe("");
});
