import { expect, test } from "vitest";
import { readImages } from "./evaluate/cluster-facts.ts";

test("reads images from variables and omits empty ones", () => {
  const environment = {
    RELATED_IMAGE_MY_TOOL: "registry/a",
    RELATED_IMAGE_EMPTY: "",
    RELATED_IMAGE_: "x",
    OTHER: "y",
    RELATED_IMAGE_GONE: undefined,
  };
  expect(readImages(environment)).toEqual({ "my-tool": "registry/a" });
});
