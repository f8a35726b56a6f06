// Cuts a stream into lines: by bytes, so that a character split over two packets stays whole.

/** Each with its newline; what is left at the end without one comes last. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const piece of stream) {
    let start = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, start)) {
      yield Buffer.concat([...parts, piece.subarray(start, end + 1)]);
      parts = [];
      start = end + 1;
    }
    if (start < piece.length) parts.push(piece.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
