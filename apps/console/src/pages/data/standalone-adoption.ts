// Adoptions through the standalone server.

import type { AdoptionProgress, AdoptionView } from "@virt/views";
import type { AdoptionData } from "./cluster-data.ts";
import { readLines } from "./read-lines.ts";

type Send = (path: string, init: RequestInit) => Promise<Response>;

export function standaloneAdoption(send: Send): AdoptionData {
  const post = (path: string, body: object) =>
    send(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return {
    preview: async (query) => {
      try {
        const response = await post("/adoption/preview", query);
        if (!response.ok) return { kind: "failed", message: (await response.text()).trim() };
        return { kind: "previewed", view: (await response.json()) as AdoptionView };
      } catch (error) {
        return { kind: "failed", message: messageOf(error) };
      }
    },
    run: async (query, onProgress) => {
      try {
        const response = await post("/adoption/run", query);
        if (!response.ok || response.body === null) return { kind: "failed", message: (await response.text()).trim() };
        return await readProgress(response.body, onProgress);
      } catch (error) {
        return { kind: "failed", message: messageOf(error) };
      }
    },
  };
}

const interrupted: AdoptionProgress = {
  kind: "failed",
  message: "the connection to the console was lost. Preview again to continue",
};

async function readProgress(
  body: ReadableStream<Uint8Array>,
  onProgress: (text: string) => void,
): Promise<AdoptionProgress> {
  for await (const line of readLines(body)) {
    const step = JSON.parse(line) as AdoptionProgress;
    if (step.kind !== "progress") return step;
    onProgress(step.text);
  }
  return interrupted;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
