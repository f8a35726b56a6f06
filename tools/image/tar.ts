// Writes reproducible tar archives (POSIX ustar) without timestamps or owners: equal entries give equal bytes.

export type TarEntry =
  | { readonly kind: "file"; readonly mode: number; readonly content: Buffer }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string };

/** Keys are paths without a leading or trailing slash. */
export type FileTree = ReadonlyMap<string, TarEntry>;

const blockBytes = 512;
const typeFlags = { file: "0", symlink: "2", folder: "5" } as const;

export function writeTar(tree: FileTree): Buffer {
  const entries = [...withFolders(tree)].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const blocks = entries.flatMap(([path, entry]) => {
    if (entry.kind !== "file") return [header(path, entry)];
    const padding = Buffer.alloc((blockBytes - (entry.content.length % blockBytes)) % blockBytes);
    return [header(path, entry), entry.content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function withFolders(tree: FileTree): FileTree {
  const all = new Map(tree);
  for (const path of tree.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (!all.has(folder)) all.set(folder, { kind: "folder", mode: 0o755 });
    }
  }
  return all;
}

function header(path: string, entry: TarEntry): Buffer {
  const block = Buffer.alloc(blockBytes);
  const { prefix, name } = splitPath(entry.kind === "folder" ? `${path}/` : path);
  const target = entry.kind === "symlink" ? entry.target : "";
  if (Buffer.byteLength(target) > 100) throw new Error(`${path} links to a path of more than 100 bytes: ${target}`);
  block.write(name, 0);
  writeOctal(block, 100, 8, entry.kind === "symlink" ? 0o777 : entry.mode);
  writeOctal(block, 108, 8, 0);
  writeOctal(block, 116, 8, 0);
  writeOctal(block, 124, 12, entry.kind === "file" ? entry.content.length : 0);
  writeOctal(block, 136, 12, 0); // modification time: 1970-01-01
  block.write(typeFlags[entry.kind], 156);
  block.write(target, 157);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345);
  block.fill(" ", 148, 156);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** A name has 100 bytes. A prefix of 155 bytes can hold its folders. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const parts = { prefix: path.slice(0, at), name: path.slice(at + 1) };
    if (Buffer.byteLength(parts.prefix) <= 155 && Buffer.byteLength(parts.name) <= 100 && parts.name !== "")
      return parts;
  }
  throw new Error(`${path} is too long for an archive`);
}

function writeOctal(block: Buffer, offset: number, bytes: number, value: number): void {
  block.write(`${value.toString(8).padStart(bytes - 1, "0")}\0`, offset);
}
