// How a stream gets through to the server: each connection is an attempt, and one that fails may have to wait its turn.

import type { Sender } from "../wire/client.ts";
import type { Breakers } from "./breaker.ts";
import { guarded } from "./guarded.ts";

export type Line = {
  /** Before each connection. */
  readonly begin: () => Call;
  /** Nobody waits here any more. */
  readonly withdraw: () => void;
};

export type Call = {
  readonly sender: Sender;
  /** True: `wake` is called when another attempt is worth while. False: use your own backoff. Ends the call. */
  readonly park: (wake: () => void) => boolean;
  readonly end: () => void;
};

/** `name` is unique in the process. */
export function lineThrough(client: Sender, breakers: Breakers, name: string): Line {
  return {
    begin: () => {
      const attempt = breakers.begin(name);
      return { sender: guarded(client, attempt), park: (wake) => attempt.park(wake), end: () => attempt.end() };
    },
    withdraw: () => breakers.withdraw(name),
  };
}

/** A line without breakers, for whoever makes few requests. */
export function directLine(sender: Sender): Line {
  return { begin: () => ({ sender, park: () => false, end: () => undefined }), withdraw: () => undefined };
}

/** For requests that belong to nobody's pass: each is an attempt of its own, and none of them is worth a trial. */
export function oneByOne(client: Sender, breakers: Breakers, name: string): Sender {
  let count = 0;
  const attempt = async <T>(send: (sender: Sender) => Promise<T>): Promise<T> => {
    const one = breakers.begin(`${name} ${count++}`);
    try {
      return await send(guarded(client, one));
    } finally {
      one.end();
    }
  };
  return {
    send: (request, sending) => attempt((sender) => sender.send(request, sending)),
    stream: (request, sending) => attempt((sender) => sender.stream(request, sending)),
  };
}
