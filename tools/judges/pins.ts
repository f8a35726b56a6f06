// Programs that tests use as judges: where each comes from, and in which version.

export type Program = {
  readonly name: string;
  /** A Go package and the version of its module. */
  readonly package: string;
  readonly version: string;
  /** Has it ready made; asked first, because it takes a second. */
  readonly debian?: { readonly package: string; readonly file: string };
};

export const promtool: Program = {
  name: "promtool",
  package: "github.com/prometheus/prometheus/cmd/promtool",
  version: "v0.315.0",
  debian: { package: "prometheus", file: "usr/bin/promtool" },
};

/** The interpreter that Argo CD runs health scripts with. */
export const lua: Program = { name: "glua", package: "github.com/yuin/gopher-lua/cmd/glua", version: "v1.1.2" };
