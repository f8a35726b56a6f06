// How a read is called in words to people.

import type { Read } from "../reads.ts";

export function readWords(read: Read): string {
  switch (read.read) {
    case "object":
      return `${read.ref.kind} ${read.ref.name}`;
    case "objects":
      return `list of ${read.kind}`;
    case "pool":
      return `MachineConfigPool ${read.name}`;
    case "schema":
      return `schema of ${read.crd}`;
    case "hco":
    case "hardware":
    case "topology":
    case "images":
      return read.read;
  }
}
