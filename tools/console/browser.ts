import { type Browser, chromium } from "playwright-core";
import { obtainChromium } from "../test-tools/chromium.ts";

export function launchBrowser(): Promise<Browser> {
  const { file, env } = obtainChromium();
  return chromium.launch({
    executablePath: file,
    env: { ...process.env, ...env },
    // Many containers do not allow Chromium's sandbox. This browser opens only our own pages.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
