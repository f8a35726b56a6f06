// Programs that tests run: where each comes from, and in which version.

export type Program = {
  readonly name: string;
  /** A Go package and the version of its module; no package where it cannot be built without a C compiler. */
  readonly package?: string;
  readonly version: string;
  /** Has it ready made; asked first, because it takes a second. */
  readonly debian?: { readonly package: string; readonly file: string };
};

const ofPrometheus = (name: string): Program => ({
  name,
  package: `github.com/prometheus/prometheus/cmd/${name}`,
  version: "v0.315.0",
  debian: { package: "prometheus", file: `usr/bin/${name}` },
});
export const promtool = ofPrometheus("promtool");
export const prometheus = ofPrometheus("prometheus");

/** The interpreter that Argo CD runs health scripts with. */
export const lua: Program = { name: "glua", package: "github.com/yuin/gopher-lua/cmd/glua", version: "v1.1.2" };

/** Runs containers. */
export const runc: Program = {
  name: "runc",
  version: "debian",
  debian: { package: "runc", file: "usr/sbin/runc" },
};
