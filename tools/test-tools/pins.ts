// Sources and versions of the programs that tests run.

export type Program = {
  readonly name: string;
  /** A Go package, in the module version `version`. Absent if it needs a C compiler. */
  readonly package?: string;
  readonly version: string;
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

export const lua: Program = { name: "glua", package: "github.com/yuin/gopher-lua/cmd/glua", version: "v1.1.2" };

export const runc: Program = {
  name: "runc",
  version: "debian",
  debian: { package: "runc", file: "usr/sbin/runc" },
};
