import { expect, test } from "vitest";
import { type ApiAnswer, type FailedRequest, guardClient, type RequestGuard } from "./api-client.ts";
import { type BreakerScope, getPath } from "./request.ts";

const never = { signal: new AbortController().signal };
const request = getPath("/x");

function openSender(
  answer: ApiAnswer | FailedRequest,
  { admits = "go", isDown = false }: { admits?: "go" | "wait"; isDown?: boolean } = {},
) {
  const heard: string[] = [];
  const note = (what: string) => (scope: BreakerScope) => void heard.push(`${what} ${scope.resource}`);
  const send = () => {
    heard.push("sent");
    return Promise.resolve(answer);
  };
  const guard: RequestGuard = {
    isOpen: () => isDown,
    admit: (scope) => {
      heard.push(`asked ${scope.resource}`);
      return admits;
    },
    answered: note("answered"),
    unavailable: note("unavailable"),
  };
  return { heard, sender: guardClient({ send, stream: send, write: send }, guard) };
}

const answered = (status: number): ApiAnswer => ({
  kind: "answered",
  status,
  body: { kind: "Status" },
  text: "{}",
  bytes: 2,
});
const failed = (reason: FailedRequest["failure"]["reason"]): FailedRequest => ({
  kind: "failed",
  failure: { reason, message: "" },
});

const cases: readonly (readonly [reason: string, answer: ApiAnswer | FailedRequest, heard: readonly string[]])[] = [
  ["a 404 counts as an answer", answered(404), ["answered *", "answered /x"]],
  ["a 409 counts as an answer", answered(409), ["answered *", "answered /x"]],
  ["a 5xx counts as a failure of the resource only", answered(503), ["answered *", "unavailable /x"]],
  ["a broken request counts as a failure of the resource only", failed("reset"), ["answered *", "unavailable /x"]],
  ["an unreachable server counts as a failure of the server", failed("unreachable"), ["unavailable *"]],
  ["a refused connection counts as a failure of the server", failed("refused"), ["unavailable *"]],
  ["an answer that is too large counts as an answer", failed("too large"), ["answered *", "answered /x"]],
  ["an aborted request does not count", failed("aborted"), []],
  ["a fenced write does not count", failed("fenced"), []],
];

test.each(cases)("%s", async (_reason, answer, heard) => {
  const opened = openSender(answer);
  expect(await opened.sender.send(request, never)).toBe(answer);
  expect(opened.heard).toEqual(["asked /x", "sent", ...heard]);
});

test("sends nothing behind an open breaker", async () => {
  const { heard, sender } = openSender(answered(200), { admits: "wait" });
  expect(await sender.send(request, never)).toMatchObject({ kind: "failed", failure: { reason: "parked" } });
  expect(await sender.stream(request, never)).toMatchObject({ kind: "failed", failure: { reason: "parked" } });
  expect(heard).toEqual(["asked /x", "asked /x"]);
});

test("while the server is down, its breaker decides for all resources", async () => {
  const { heard, sender } = openSender(answered(200), { isDown: true });
  await sender.send(request, never);
  expect(heard).toEqual(["asked *", "sent", "answered *", "answered /x"]);
});
