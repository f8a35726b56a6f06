// Assembles the image's files: the C library, Node and the operator. There is no shell and no package manager.

import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DebianPackage } from "./debian-packages.ts";
import type { ImageDescription } from "./dockerfile.ts";
import type { NodePackage } from "./node-package.ts";
import type { FileTree, TarEntry } from "./tar.ts";

const keptFiles: readonly RegExp[] = [
  /\/(ld-linux[\w-]*|lib(c|dl|gcc_s|m|nss_(dns|files)|pthread|resolv|rt|stdc\+\+))\.so(\.\d+)+$/,
  /^usr\/share\/doc\/[^/]+(\/copyright)?$/, // may be a link to another package of the same source
  /^usr\/share\/common-licenses\//,
  /^usr\/share\/zoneinfo\/(?!posix|right)/, // the excluded folders contain copies of the same time zones
  /^(usr\/lib|etc)\/os-release$/,
];
const certificates = /^usr\/share\/ca-certificates\/.*\.crt$/;

export function systemFiles(packages: readonly DebianPackage[], node: NodePackage): FileTree {
  const tree = new Map<string, TarEntry>(writtenFiles(packages));
  const trusted: string[] = [];
  for (const { file } of packages) {
    for (const [path, entry] of unpack("dpkg", (folder) => ["-x", file, folder])) {
      if (entry.kind === "file" && certificates.test(path)) trusted.push(entry.content.toString().trim());
      else if (entry.kind !== "folder" && keptFiles.some((pattern) => pattern.test(path))) tree.set(path, entry);
    }
  }
  tree.set("etc/ssl/certs/ca-certificates.crt", textFile(`${trusted.toSorted().join("\n")}\n`));
  const unpacked = unpack("tar", (folder) => ["-xzf", node.file, "-C", folder, "--strip-components=1"]);
  for (const [from, to] of nodeFiles) {
    const entry = unpacked.get(from);
    if (entry?.kind !== "file") throw new Error(`${node.name} has no ${from}`);
    tree.set(to, { ...entry, mode: to === "usr/bin/node" ? 0o755 : 0o444 });
  }
  return tree;
}

const nodeFiles = [
  ["bin/node", "usr/bin/node"],
  ["LICENSE", "licenses/node/LICENSE"],
] as const;

/** Replaces the files that the packages' scripts would write, and adds mount points. */
function writtenFiles(packages: readonly DebianPackage[]): FileTree {
  const folder = (mode = 0o755) => ({ kind: "folder", mode }) as const;
  return new Map<string, TarEntry>([
    ...["dev", "etc", "proc", "run", "sys", "var"].map((path) => [path, folder()] as const),
    ["tmp", folder(0o1777)],
    ["var/run", { kind: "symlink", target: "/run" }],
    ["etc/passwd", textFile("root:x:0:0:root:/:/sbin/nologin\ndefault:x:1001:0:default:/:/sbin/nologin\n")],
    ["etc/group", textFile("root:x:0:\n")],
    ["etc/nsswitch.conf", textFile("passwd: files\ngroup: files\nhosts: files dns\n")],
    // Vulnerability scanners read the packages here if there is no package manager.
    ...packages.map(({ name, control }) => [`var/lib/dpkg/status.d/${name}`, textFile(control)] as const),
  ]);
}

/** Run after `make build`. `bill` is the bill of materials of this platform's image. */
export function operatorFiles({ files }: ImageDescription, bill: string): FileTree {
  return new Map(
    files.map(({ from, to, mode }) => {
      const content = to.endsWith("/sbom.cdx.json") ? Buffer.from(bill) : readFileSync(from);
      return [to, { kind: "file", mode, content }] as const;
    }),
  );
}

function textFile(text: string): TarEntry {
  return { kind: "file", mode: 0o644, content: Buffer.from(text) };
}

function unpack(command: string, argsFor: (folder: string) => readonly string[]): FileTree {
  const folder = mkdtempSync(join(tmpdir(), "virt-image-"));
  try {
    const { status, error, stderr } = spawnSync(command, argsFor(folder), { encoding: "utf8" });
    if (error !== undefined || status !== 0) throw new Error(`cannot unpack: ${error?.message ?? stderr.trim()}`);
    return new Map(listPaths(folder).map((path) => [path, readEntry(join(folder, path))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lists everything below a folder. Node's recursive option would follow links out of the folder. */
export function listPaths(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inside = entry.isDirectory() ? listPaths(join(folder, entry.name)) : [];
    return [entry.name, ...inside.map((path) => join(entry.name, path))];
  });
}

function readEntry(path: string): TarEntry {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return { kind: "symlink", target: readlinkSync(path) };
  const mode = stat.mode & 0o7777;
  return stat.isDirectory() ? { kind: "folder", mode } : { kind: "file", mode, content: readFileSync(path) };
}
