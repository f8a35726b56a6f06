import { expect, test } from "vitest";
import { findRoute, type Routes } from "./routes.ts";

const said = (body: string) => () => ({ status: 200, body });
const routes: Routes = {
  "/metrics": said("metrics"),
  "/debug/": said("debug"),
  "/debug/render": said("render all"),
  "/debug/render/": said("render one"),
};

function ask(url: string, method = "GET", headers: Record<string, string> = {}) {
  const found = findRoute({ method, url, headers }, routes);
  if ("status" in found) return { status: found.status };
  const { route, asked } = found;
  const { body } = route({ ...asked, signal: new AbortController().signal }) as { body: string };
  return { body, path: asked.path, rest: asked.rest, query: asked.query.toString() };
}

test.each([
  { url: "/metrics", body: "metrics", rest: "" },
  { url: "/debug/render", body: "render all", rest: "" },
  { url: "/debug/render/swap-enable", body: "render one", rest: "swap-enable" },
  { url: "/debug/render/a%20b", body: "render one", rest: "a b" },
  { url: "/debug/facts", body: "debug", rest: "facts" },
  { url: "/debug/render/../facts", body: "debug", rest: "facts" },
  { url: "http://elsewhere/metrics", body: "metrics", rest: "" },
])("$url is answered with $body", ({ url, body, rest }) => {
  expect(ask(url)).toMatchObject({ body, rest });
});

test("serves exactly the path that is authorized", () => {
  expect(ask("/debug/x/../../metrics?format=json")).toEqual({
    body: "metrics",
    path: "/metrics",
    rest: "",
    query: "format=json",
  });
});

test.each(["/", "/metrics/", "/metrics/x", "/Metrics", "//metrics", "/%6Detrics", "/constructor", "/debug/%zz", "*"])(
  "%s is not found",
  (url) => {
    expect(ask(url)).toEqual({ status: 404 });
  },
);

test.each(["POST", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT", "get"])("rejects method %s", (method) => {
  expect(ask("/metrics", method)).toEqual({ status: 405 });
});

test("rejects a body", () => {
  expect(ask("/metrics", "GET", { "content-length": "5" })).toEqual({ status: 413 });
  expect(ask("/metrics", "GET", { "transfer-encoding": "chunked" })).toEqual({ status: 413 });
  expect(ask("/metrics", "GET", { "content-length": "0" })).toMatchObject({ body: "metrics" });
});

test("rejects an invalid URL", () => {
  expect(ask("http://[")).toEqual({ status: 400 });
});
