// Reads the image's files, user, environment, labels and entrypoint from the Dockerfile.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

export type ImageDescription = {
  readonly files: readonly CopiedFile[];
  readonly user: string;
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
};

/** `from` is relative to the repository after `make build`. `to` is a path in the image. */
type CopiedFile = { readonly from: string; readonly to: string; readonly mode: number };

const buildFolder = "/tmp/source/";

/** Reads only the last stage. Throws for an unknown instruction, so that the images cannot differ without notice. */
export function readDockerfile(text = readFileSync("Dockerfile", "utf8")): ImageDescription {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")) + 1);
  const instructions = stage.map((line) => {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (!known.has(name)) throw new Error(`make image does not know what the Dockerfile means by: ${line}`);
    return { name, rest };
  });
  const all = (name: string) => instructions.filter((one) => one.name === name).map(({ rest }) => rest);
  return {
    files: all("COPY").flatMap(copiedFiles),
    user: all("USER").join(),
    environment: all("ENV"),
    labels: Object.fromEntries(all("LABEL").flatMap(labelsOf)),
    entrypoint: JSON.parse(all("ENTRYPOINT").join()) as readonly string[],
  };
}

const known: ReadonlySet<string> = new Set(["COPY", "ENV", "LABEL", "USER", "ENTRYPOINT"]);

function copiedFiles(rest: string): readonly CopiedFile[] {
  const words = rest.split(/\s+/);
  const mode = words.find((word) => word.startsWith("--chmod="))?.slice("--chmod=".length) ?? "0644";
  const paths = words.filter((word) => !word.startsWith("--"));
  const folder = paths.at(-1) ?? "";
  return paths.slice(0, -1).map((path) => ({
    from: path.replace(buildFolder, ""),
    to: `${folder.slice(1)}${basename(path)}`,
    mode: Number.parseInt(mode, 8),
  }));
}

function labelsOf(rest: string): readonly (readonly [string, string])[] {
  return [...rest.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
}
