// Cuts a watch stream into lines: by bytes, so that a character split over two packets stays whole.

const newline = 0x0a;

/** Throws a RangeError when a line is longer than `limit` bytes: nobody is made to hold it. */
export class FrameCutter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that this piece completes, without their newline. Empty lines are dropped. */
  push(piece: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      this.#hold(piece.subarray(start, end));
      if (this.#size > 0) lines.push(Buffer.concat(this.#parts));
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#hold(piece.subarray(start));
    return lines;
  }

  /** Whether the stream would end in the middle of a line. */
  get isCut(): boolean {
    return this.#size > 0;
  }

  #hold(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) throw new RangeError(`a line of the stream is longer than ${this.#limit} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}
