// The workload that is implemented with every library. Reads commands as JSON lines from stdin and replies on stdout.

import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

export type StoredObject = { readonly name: string; readonly version: string; readonly value: string };

export type Followed = {
  readonly isSynced: () => boolean;
  readonly find: (name: string) => StoredObject | undefined;
  readonly all: () => Iterable<StoredObject>;
};

export type Library = {
  readonly read: (name: string) => Promise<void>;
  /** Calls `onChange` after each change. Absent if the library cannot watch objects. */
  readonly follow?: (onChange: () => void) => Followed;
};

export type Command =
  | { readonly do: "read"; readonly name: string; readonly times: number; readonly atOnce: number }
  | { readonly do: "follow" }
  | { readonly do: "await"; readonly name: string; readonly value: string }
  | { readonly do: "report" };

/** `notifications` counts the changes since the start. */
export type Report = { readonly objects: number; readonly notifications: number; readonly digest: string };

/** Returns a digest of a cache. Caches with the same objects in the same versions have the same digest. */
export function digestOf(all: Iterable<Pick<StoredObject, "name" | "version">>): string {
  const lines = Array.from(all, ({ name, version }) => `${name}@${version}`).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

export function serve(library: Library): void {
  const worker = workWith(library);
  const lines = createInterface(process.stdin);
  lines.on("line", (line) => {
    const { id, ...command } = JSON.parse(line) as Command & { readonly id: number };
    void worker(command as Command).then((answer) => process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`));
  });
  lines.on("close", () => process.exit(0)); // exits with the parent process
}

function workWith(library: Library): (command: Command) => Promise<object> {
  const changes = new Changes();
  let followed: Followed | undefined;
  return async (command) => {
    switch (command.do) {
      case "read":
        return readMany(library, command);
      case "follow":
        followed = library.follow?.(() => changes.notify());
        while (followed?.isSynced() !== true) await new Promise((resolve) => setTimeout(resolve, 5));
        return {};
      case "await":
        await changes.until(() => followed?.find(command.name)?.value === command.value);
        return {};
      case "report": {
        const all = [...(followed?.all() ?? [])];
        return { objects: all.length, notifications: changes.notifications, digest: digestOf(all) };
      }
    }
  };
}

class Changes {
  notifications = 0;
  readonly #waiting = new Set<() => void>();

  notify(): void {
    this.notifications++;
    for (const check of this.#waiting) check();
  }

  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

async function readMany({ read }: Library, { name, times, atOnce }: Command & { readonly do: "read" }) {
  const samples: number[] = [];
  let left = times;
  const work = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await read(name);
      samples.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: atOnce }, work));
  return { samples, wholeMs: performance.now() - start };
}
