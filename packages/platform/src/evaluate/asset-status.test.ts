import { assetReasonTexts } from "@virt/cluster";
import { expect, test } from "vitest";
import { reasons } from "./asset-status.ts";

test.each(reasons)("explains reason %s", (reason) => {
  expect(assetReasonTexts).toHaveProperty(reason);
});
