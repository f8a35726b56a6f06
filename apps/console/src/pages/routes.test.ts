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

test.each(routes)("an address leads to the page that it was made for: %o", (route) => {
  expect(readRoute(hrefOf(route))).toEqual(route);
});

test("whatever else stands in the address leads to the overview, or to no profile", () => {
  expect(readRoute("#/javascript:alert(1)")).toEqual({ page: "overview" });
  expect(readRoute("#/plan/%E0%A4%A")).toEqual({ page: "plan" });
});
