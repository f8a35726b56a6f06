import { expect, test } from "vitest";
import { readImages } from "./evaluate/cluster-facts.ts";

test("variables become names, and empty ones are left out", () => {
  const environment = {
    RELATED_IMAGE_MY_TOOL: "registry/a",
    RELATED_IMAGE_EMPTY: "",
    RELATED_IMAGE_: "x",
    OTHER: "y",
    RELATED_IMAGE_GONE: undefined,
  };
  expect(readImages(environment)).toEqual({ "my-tool": "registry/a" });
});
