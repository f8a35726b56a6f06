// Times in status: whole seconds, as the API server writes its own.

import { writeTime } from "@virt/engine";

export function stamp(ms: number): string {
  return writeTime(Math.floor(ms / 1000) * 1000);
}
