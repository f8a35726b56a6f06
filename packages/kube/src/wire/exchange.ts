// One request on one socket: sends it when it may leave, bounds every wait, and returns the response or the failure.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Failure, failureOf } from "./failure.ts";

/** Milliseconds. `whole` ends with the response's headers where the body is a stream. */
export type Limits = { readonly connect: number; readonly whole: number; readonly silence: number };

export type Exchange = {
  readonly open: () => ClientRequest;
  readonly body: string | undefined;
  readonly limits: Limits;
  /** Asked synchronously, right before the first byte is written. */
  readonly mayLeave: () => boolean;
  readonly signal: AbortSignal;
};

export type Response = { readonly incoming: IncomingMessage; readonly isReused: boolean };
export type Broken = { readonly failure: Failure; readonly isReused: boolean };

/** Settles with the response's headers. From then on the signal still ends the body. */
export function exchange(what: Exchange): Promise<Response | Broken> {
  const { limits, signal } = what;
  return new Promise((settle) => {
    if (signal.aborted) return settle({ failure: aborted(signal), isReused: false });
    const outgoing = what.open();
    const stop = (failure: Failure) => outgoing.destroy(Object.assign(new Error(failure.message), { failure }));
    const whole = setTimeout(() => stop(late(`no answer within ${limits.whole / 1000} s`)), limits.whole);
    const giveUp = () => stop(aborted(signal));
    signal.addEventListener("abort", giveUp, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", giveUp));
    let hasLeft = false;
    outgoing.once("error", (error: Error & { failure?: Failure }) => {
      clearTimeout(whole);
      const failure = error.failure ?? failureOf(error);
      // Broken before it was made: nobody was there to hear us.
      const isUnmade = !hasLeft && failure.reason === "reset";
      settle({ failure: isUnmade ? { ...failure, reason: "unreachable" } : failure, isReused: outgoing.reusedSocket });
    });
    outgoing.once("response", (incoming) => {
      clearTimeout(whole);
      settle({ incoming, isReused: outgoing.reusedSocket });
    });
    const left = () => {
      hasLeft = true;
    };
    outgoing.once("socket", (socket) => leaveWhenConnected(outgoing, socket, { ...what, stop, left }));
  });
}

type Departure = Exchange & { readonly stop: (failure: Failure) => void; readonly left: () => void };

function leaveWhenConnected(outgoing: ClientRequest, socket: Socket, departure: Departure): void {
  const { body, limits, mayLeave, stop, left } = departure;
  const leave = () => {
    left();
    if (mayLeave()) outgoing.end(body);
    else stop({ reason: "fenced", message: "not the leader any more: the write was not sent" });
  };
  if (isConnected(socket)) return leave();
  const timer = setTimeout(
    () => stop({ reason: "unreachable", message: `no connection within ${limits.connect / 1000} s` }),
    limits.connect,
  );
  socket.once("encrypted" in socket ? "secureConnect" : "connect", () => {
    clearTimeout(timer);
    leave();
  });
  socket.once("close", () => clearTimeout(timer));
}

// Node does not document secureConnecting, but a TLS socket has no other sign that its handshake is still under way.
function isConnected(socket: Socket & { readonly secureConnecting?: boolean }): boolean {
  return !socket.connecting && socket.secureConnecting !== true;
}

export type Drained = { readonly isWhole: boolean; readonly error?: unknown };

/** Settles with the body. By events: an iterator over it takes several turns of the loop for each piece. What is thrown ends it. */
export function drain(incoming: IncomingMessage, onPiece: (piece: Buffer) => void): Promise<Drained> {
  return new Promise((settle) => {
    incoming.on("data", (piece: Buffer) => {
      try {
        onPiece(piece);
      } catch (error) {
        settle({ isWhole: false, error });
        incoming.destroy();
      }
    });
    incoming.once("end", () => settle({ isWhole: incoming.complete }));
    incoming.on("error", (error) => settle({ isWhole: false, error }));
    incoming.once("close", () => settle({ isWhole: false }));
  });
}

/** The whole body, or the failure that cut it. */
export async function readBody(incoming: IncomingMessage, limits: Limits, maxBytes: number): Promise<Buffer | Failure> {
  const pieces: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(
    () => incoming.destroy(new Error(`the answer fell silent for ${limits.silence / 1000} s`)),
    limits.silence,
  );
  const { isWhole, error } = await drain(incoming, (piece) => {
    timer.refresh();
    size += piece.length;
    if (size > maxBytes) throw new RangeError(`the answer is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  });
  clearTimeout(timer);
  if (isWhole) return Buffer.concat(pieces);
  if (error === undefined) return { reason: "cut", message: "the answer ended early" };
  const { message } = failureOf(error);
  return {
    reason: "cut",
    message: message === "aborted" ? "the connection broke in the middle of the answer" : message,
    cause: error,
  };
}

function aborted(signal: AbortSignal): Failure {
  return { reason: "aborted", message: "given up", cause: signal.reason as unknown };
}

function late(message: string): Failure {
  return { reason: "timeout", message };
}
