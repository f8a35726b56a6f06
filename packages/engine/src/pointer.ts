// JSON pointers (RFC 6901): where something is in a document.

/** The segments, unescaped. None of them: the whole document. */
export type Pointer = readonly string[];

export type PointerText =
  | { readonly kind: "pointer"; readonly pointer: Pointer }
  | { readonly kind: "no-slash" } // it is not empty and does not start with one
  | { readonly kind: "bad-escape" }; // a ~ that is neither ~0 nor ~1

export function readPointer(text: string): PointerText {
  if (text === "") return { kind: "pointer", pointer: [] };
  if (!text.startsWith("/")) return { kind: "no-slash" };
  if (/~(?![01])/.test(text)) return { kind: "bad-escape" };
  return { kind: "pointer", pointer: text.slice(1).split("/").map(unescape) };
}

export function writePointer(pointer: Pointer): string {
  return pointer.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

// ~01 is ~1 and not a slash, so the tilde comes last.
function unescape(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
