// Answers a browser that has no session, with the reason and how to open the console again.

import type { ServerResponse } from "node:http";
import type { SessionRefusal } from "./sessions.ts";

type EndedSession = { readonly title: string; readonly text: string };

const endedSessions: Readonly<Record<SessionRefusal, EndedSession>> = {
  unknown: {
    title: "Not signed in",
    text: "The console opens with the link that it prints when it starts. If you followed that link from another page, reload this page.",
  },
  idle: { title: "Session expired", text: "The session ended after 30 minutes without activity." },
  expired: { title: "Session expired", text: "The session ended 12 hours after it started." },
};

/** The header is for our page, which shows its own text. The body is for users who open or reload the URL. */
export function answerEndedSession(response: ServerResponse, why: SessionRefusal): void {
  const { title, text } = endedSessions[why];
  response.writeHead(401, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-virt-console-session": why,
  });
  response.end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width">
<title>${title} · Virtualization advisor</title></head>
<body><main>
<h1>${title}</h1>
<p>${text}</p>
<p>To open the console again, run this command in a terminal and open the link that it prints:</p>
<pre>kubectl virt-advisor console</pre>
</main></body>
</html>
`);
}
