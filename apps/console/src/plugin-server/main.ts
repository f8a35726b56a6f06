// Serves the plugin's static files over HTTPS to the console's backend. It needs no ServiceAccount and no permissions.

import { parseArgs } from "node:util";
import { servePublic, systemClock } from "@virt/kube";
import { type EmbeddedPage, readEmbeddedPages } from "../server/index.ts";
import { answerFile } from "./answer-file.ts";

declare const PLUGIN_FILES: readonly EmbeddedPage[];

const { values } = parseArgs({
  options: {
    "bind-address": { type: "string", default: ":9443" },
    "cert-dir": { type: "string", default: "/etc/serving-cert" },
  },
});
const files = readEmbeddedPages(PLUGIN_FILES);
const writeLine = (line: string) => void process.stderr.write(`virt-console-plugin: ${line}\n`);
const serving = await servePublic({
  address: values["bind-address"],
  certificateFolder: values["cert-dir"],
  clock: systemClock,
  observer: { warned: writeLine, failed: (path, error) => writeLine(`cannot serve ${path}: ${String(error)}`) },
  // The limit per client is high, because the few console replicas send the requests of all users.
  limits: { connections: 500, connectionsEach: 250 },
  answer: (request) => answerFile(request, files),
});
if (serving.kind === "serving") {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void serving.close());
  writeLine(`serving ${files.size} files on port ${serving.port}`);
} else {
  writeLine(serving.kind === "refused" ? serving.problem : "--bind-address=0 disables the only server");
  process.exitCode = 1;
}
