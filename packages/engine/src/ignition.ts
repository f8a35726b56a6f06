// The files and units of a MachineConfig, decoded for people.

import type { KubeObject } from "./cluster.ts";
import { readDataUrl } from "./data-url.ts";
import { asList, asNumber, asText, at, entriesOf, isMap, type Json, member } from "./json.ts";
import { decodeUtf8 } from "./utf8.ts";

export type Contents =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: number }
  | { readonly kind: "compressed"; readonly compression: string; readonly bytes: number }
  | { readonly kind: "elsewhere"; readonly source: string } // to be fetched, or not to be read
  | { readonly kind: "none" };

export type IgnitionFile = { readonly path: string; readonly mode?: string; readonly contents: Contents }; // mode as in 0644

export type IgnitionUnit = {
  readonly name: string;
  readonly isEnabled?: boolean;
  readonly contents?: string;
  readonly dropins: readonly { readonly name: string; readonly contents: string }[];
};

export type Ignition = { readonly files: readonly IgnitionFile[]; readonly units: readonly IgnitionUnit[] };

/** Never throws, whatever is written there; what has no path or name is left out. */
export function readIgnition(machineConfig: KubeObject): Ignition {
  const config = at(machineConfig, "spec", "config");
  return {
    files: asList(at(config, "storage", "files")).flatMap(readFile),
    units: asList(at(config, "systemd", "units")).flatMap(readUnit),
  };
}

function readFile(file: Json): readonly IgnitionFile[] {
  const path = asText(member(file, "path"));
  const mode = asNumber(member(file, "mode"));
  if (path === undefined) return [];
  return [
    {
      path,
      ...(mode === undefined ? {} : { mode: writeMode(mode) }),
      contents: readContents(member(file, "contents")),
    },
  ];
}

function readUnit(unit: Json): readonly IgnitionUnit[] {
  const name = asText(member(unit, "name"));
  const enabled = member(unit, "enabled");
  const contents = asText(member(unit, "contents"));
  if (name === undefined) return [];
  const dropins = asList(member(unit, "dropins")).flatMap((dropin) => {
    const name = asText(member(dropin, "name"));
    return name === undefined ? [] : [{ name, contents: asText(member(dropin, "contents")) ?? "" }];
  });
  const isEnabled = typeof enabled === "boolean" ? { isEnabled: enabled } : {};
  return [{ name, ...isEnabled, ...(contents === undefined ? {} : { contents }), dropins }];
}

// JSON has no octal numbers, so 420 is 0644.
function writeMode(mode: number): string {
  return Number.isInteger(mode) && mode >= 0 ? mode.toString(8).padStart(4, "0") : String(mode);
}

function readContents(contents: Json | undefined): Contents {
  const source = asText(member(contents, "source"));
  const compression = asText(member(contents, "compression"));
  if (source === undefined || source === "") return { kind: "none" };
  const bytes = readDataUrl(source);
  if (bytes === undefined) return { kind: "elsewhere", source };
  if (compression) return { kind: "compressed", compression, bytes: bytes.length };
  const text = decodeUtf8(bytes);
  return text === undefined || hasControls.test(text)
    ? { kind: "binary", bytes: bytes.length }
    : { kind: "text", text };
}

const hasControls = /[^\P{Cc}\t\n\r]/u;

/** The object with its files decoded in place, for a diff that people read. Nobody may apply it. */
export function legible(object: KubeObject): KubeObject {
  const files = at(object, "spec", "config", "storage", "files");
  if (object.kind !== "MachineConfig" || files === undefined) return object;
  return replaceAt(object, ["spec", "config", "storage", "files"], asList(files).map(legibleFile)) as KubeObject;
}

function legibleFile(file: Json): Json {
  const contents = member(file, "contents");
  const source = describeContents(readContents(contents));
  return source === undefined || !isMap(contents) ? file : replaceAt(file, ["contents", "source"], source);
}

function replaceAt(value: Json, [key, ...rest]: readonly string[], part: Json): Json {
  if (key === undefined || !isMap(value)) return part;
  return Object.fromEntries(
    entriesOf(value).map(([name, inner]) => [name, name === key ? replaceAt(inner, rest, part) : inner]),
  );
}

function describeContents(contents: Contents): string | undefined {
  switch (contents.kind) {
    case "text":
      return contents.text;
    case "binary":
      return `(binary, ${contents.bytes} bytes)`;
    case "compressed":
      return `(${contents.compression}, ${contents.bytes} bytes)`;
    case "elsewhere":
    case "none":
      return undefined;
  }
}
