// Reads an audit log incrementally, because the log of a shared server becomes large.

import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { AuditEvent, Server } from "@virt/testkit";

const pieceBytes = 1 << 20;

export class AuditTail {
  readonly #file: number;
  readonly #piece = Buffer.alloc(pieceBytes);
  #read = 0;
  #events: AuditEvent[] = [];

  constructor({ folder }: Pick<Server, "folder">) {
    this.#file = openSync(join(folder, "audit.log"), "r");
  }

  events(): readonly AuditEvent[] {
    const bytes = this.#rest();
    const whole = bytes.lastIndexOf("\n") + 1; // ignores a partial last line
    this.#read += whole;
    const lines = bytes.toString("utf8", 0, whole).split("\n").slice(0, -1);
    this.#events.push(...lines.map((line) => JSON.parse(line) as AuditEvent));
    return this.#events;
  }

  forget(): void {
    this.events();
    this.#events = [];
  }

  close(): void {
    closeSync(this.#file);
  }

  #rest(): Buffer {
    const pieces: Buffer[] = [];
    for (let at = this.#read; ; ) {
      const size = readSync(this.#file, this.#piece, 0, pieceBytes, at);
      if (size === 0) return Buffer.concat(pieces);
      pieces.push(Buffer.from(this.#piece.subarray(0, size)));
      at += size;
    }
  }
}
