import { assetReasonTexts } from "@virt/cluster";
import { expect, test } from "vitest";
import { reasons } from "./asset-status.ts";

test.each(reasons)("reason %s is explained in words", (reason) => {
  expect(assetReasonTexts).toHaveProperty(reason);
});
