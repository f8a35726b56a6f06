// Writes DER, the byte form of ASN.1, as far as X.509 certificates need it.

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

export function set(...parts: readonly Buffer[]): Buffer {
  return element(0x31, ...parts);
}

/** A positive integer from its big-endian bytes. */
export function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0;
  return element(0x02, ...(isNegative ? [Buffer.from([0]), digits] : [digits]));
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Buffer): Buffer {
  return element(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, "utf8"));
}

/** An object identifier in dotted form, such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A point in time. X.509 wants two-digit years up to 2049 and four-digit ones after that. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

/** A tagged part: `[n]` of the ASN.1 text. */
export function tagged(tag: number, content: Buffer, form: "explicit" | "implicit" = "explicit"): Buffer {
  return element((form === "explicit" ? 0xa0 : 0x80) | tag, content);
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(count: number): Buffer {
  if (count < 0x80) return Buffer.from([count]);
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}
