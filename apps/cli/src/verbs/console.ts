// `console`: serves the web console on 127.0.0.1 with the user's permissions, until Ctrl-C.

import { assets, profiles } from "@virt/catalog";
import { type EmbeddedPage, readEmbeddedPages, serveConsole } from "@virt/console/server";
import { previewEnablement } from "@virt/reads";
import { consoleAdoption } from "../adoption/console-adoption.ts";
import { textBlock } from "../blocks.ts";
import { exitCodes, type RunVerb } from "../verb.ts";

declare const CONSOLE_PAGES: readonly EmbeddedPage[] | undefined;

export const serveConsolePages: RunVerb = async (context) => {
  const { access, environment, flag, now, printer, program, signal, version } = context;
  const wanted = Number(flag("port") ?? "7070");
  const pages = readEmbeddedPages(typeof CONSOLE_PAGES === "undefined" ? [] : CONSOLE_PAGES);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const served = await serveConsole({
    access: access(),
    pages,
    userAgent: `virt-console/${version}`,
    port: wanted,
    previewEnablement: async (client, asked) => {
      const { assets: applied, impact } = await previewEnablement({
        catalog: { assets, profiles },
        client,
        signal: asked,
        environment,
        ownNamespace: undefined,
        hcoNamespace: "",
        now: now(),
      });
      return { assets: applied, impact };
    },
    adoption: consoleAdoption({ access: access(), environment, ownNamespace: undefined, now, program }),
  });
  if (wanted !== 0 && served.port !== wanted)
    printer.progress(`Port ${wanted} is in use. Using port ${served.port} instead`);
  const { url, port } = served;
  printer.print({ type: "Console", data: { url, port }, blocks: [textBlock(`Console: ${url}`)] });
  printer.progress("Press Ctrl-C to stop");
  await ended;
  await served.close();
  return exitCodes.done;
};
