import { expect, test } from "vitest";
import { type FileTree, type TarEntry, writeTar } from "./tar.ts";

const file = (text: string) => ({ kind: "file", mode: 0o444, content: Buffer.from(text) }) as const;

test("the order of entries does not matter", () => {
  const entries: readonly (readonly [string, TarEntry])[] = [
    ["b/file", file("one")],
    ["a", { kind: "symlink", target: "b/file" }],
    ["b/c", { kind: "folder", mode: 0o755 }],
  ];
  expect(writeTar(new Map(entries)).equals(writeTar(new Map(entries.toReversed())))).toBe(true);
});

test("folders precede their content, even unnamed ones", () => {
  expect(namesOf(writeTar(new Map([["a/b/file", file("x")]])))).toEqual(["a/", "a/b/", "a/b/file"]);
});

test("a header has its checksum, and a file is padded to blocks", () => {
  const archive = writeTar(new Map([["file", file("content")]]));
  expect(archive.length).toBe(4 * 512);
  const header = Buffer.from(archive.subarray(0, 512));
  const written = Number.parseInt(header.toString("latin1", 148, 154), 8);
  header.fill(" ", 148, 156);
  expect(written).toBe(header.reduce((sum, byte) => sum + byte, 0));
  expect(archive.toString("utf8", 512, 519)).toBe("content");
});

test("splits a long path at a slash, or rejects it", () => {
  const folder = "f".repeat(90);
  const tree: FileTree = new Map([[`${folder}/file-with-a-name`, file("")]]);
  const split = writeTar(tree).subarray(512);
  expect(textAt(split, 345, 155)).toBe(folder);
  expect(textAt(split, 0, 100)).toBe("file-with-a-name");
  expect(() => writeTar(new Map([["n".repeat(101), file("")]]))).toThrow("too long for an archive");
});

function textAt(block: Buffer, offset: number, bytes: number): string {
  return block.toString("utf8", offset, offset + bytes).replace(/\0.*/s, "");
}

function namesOf(archive: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; archive[at] !== 0; ) {
    names.push(textAt(archive.subarray(at), 0, 100));
    const size = Number.parseInt(textAt(archive.subarray(at), 124, 12), 8);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}
