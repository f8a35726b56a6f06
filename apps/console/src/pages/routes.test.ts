import { expect, test } from "vitest";
import { hrefOf, type PageRoute, readRoute } from "./routes.ts";

const routes: readonly PageRoute[] = [
  { page: "overview" },
  { page: "plan" },
  { page: "plan", name: "load-aware-rebalancing" },
  { page: "rollout", name: "a b/c?<script>" },
  { page: "drift" },
  { page: "assets", state: "excluded", filter: "a & b" },
  { page: "activity", filter: "PlanApproved" },
];

test.each(routes)("round-trips the address of %o", (route) => {
  expect(readRoute(hrefOf(route))).toEqual(route);
});

test("an invalid address leads to the overview or to no profile", () => {
  expect(readRoute("#/javascript:alert(1)")).toEqual({ page: "overview" });
  expect(readRoute("#/plan/%E0%A4%A")).toEqual({ page: "plan" });
});
