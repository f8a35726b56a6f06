// A browser for the console: Chromium without a screen.

import { type Browser, chromium } from "playwright-core";
import { obtainChromium } from "../test-tools/chromium.ts";

export function launchBrowser(): Promise<Browser> {
  const { file, env } = obtainChromium();
  return chromium.launch({
    executablePath: file,
    env: { ...process.env, ...env },
    // Containers and build machines do not let it make its own; it opens nothing but our page.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
