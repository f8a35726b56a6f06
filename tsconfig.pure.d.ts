// What pure packages may use beyond the language: the same in Node, in a browser and in every other runtime, and without effects.

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label: "utf-8", options: { readonly fatal: boolean; readonly ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

/** Both speak of bytes as characters up to U+00FF. */
declare function atob(base64: string): string;
declare function btoa(binary: string): string;
