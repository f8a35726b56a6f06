// Helpers for the shipped console in a browser: keyboard navigation and accessibility checks.

import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < 150; pressed++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the keyboard does not lead there");
}

type AxeFinding = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
};

export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const findings = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)",
  )) as readonly AxeFinding[];
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Themes and widths: a desktop, the narrowest table with columns, a desktop at 200% zoom, and a phone. */
const themes = ["light", "dark"] as const;
const widths = [1280, 800, 640, 360];

/** Expects no serious axe finding in either theme, and no unreachable or covered part of the page at any width. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const before = page.viewportSize();
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await seriousFindings(page), `${what}, ${colorScheme}`).toEqual([]);
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `${what}, ${width} pixels wide`).toEqual([]);
    expect(await headersThatTouch(page), `${what}, ${width} pixels wide`).toEqual([]);
    expect(await textsThatOverlap(page), `${what}, ${width} pixels wide`).toEqual([]);
  }
  if (before !== null) await page.setViewportSize(before);
}

/** Returns parts that are wider than their window without scrolling, with the elements that cause it. */
function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(`["html", "#content", ".pf-v6-c-modal-box", ".pf-v6-c-modal-box__body"].flatMap((selector) =>
    [...document.querySelectorAll(selector)].flatMap((box) => {
      if (box.scrollWidth <= box.clientWidth + 1) return [];
      const edge = box.getBoundingClientRect().left + box.clientWidth + 1;
      const wide = [...box.querySelectorAll("*")].filter((inner) => inner.getBoundingClientRect().right > edge);
      return [selector + " " + box.scrollWidth + ": " + wide.slice(-3).map(({ outerHTML }) => outerHTML.slice(0, 120)).join(" ")];
    }))`);
}

/** Returns table headers that extend into the next column if long cells leave too little room. */
function headersThatTouch(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll("table")].flatMap((table) => {
    table.style.inlineSize = "1px";
    const touching = [...table.querySelectorAll("thead th")].filter((header) => {
      const text = document.createRange();
      text.selectNodeContents(header);
      const isShown = header.getClientRects().length > 0 && header.querySelector(".pf-v6-screen-reader") === null;
      return isShown && text.getBoundingClientRect().right > header.getBoundingClientRect().right;
    });
    table.style.inlineSize = "";
    return touching.map(({ textContent }) => textContent);
  })`);
}

/** Returns overlapping texts in the page header with a long cluster and user name. */
function textsThatOverlap(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const values = [...document.querySelectorAll(".vc-identity dd")];
    const before = values.map(({ textContent }) => textContent);
    values.forEach((value) => { value.textContent = "system:serviceaccount:virtualization:console.example.com:6443"; });
    const boxes = [".vc-brand", ".vc-identity", ".vc-theme"].flatMap((selector) =>
      [...document.querySelectorAll(selector)].map((part) => {
        const text = document.createRange();
        text.selectNodeContents(part);
        return { selector, box: text.getBoundingClientRect() };
      }));
    values.forEach((value, at) => { value.textContent = before[at]; });
    return boxes.flatMap((one, at) => boxes.slice(at + 1).flatMap((other) => {
      const isApart = one.box.right <= other.box.left || other.box.right <= one.box.left ||
        one.box.bottom <= other.box.top || other.box.bottom <= one.box.top;
      return isApart ? [] : [one.selector + " " + other.selector];
    }));
  })()`);
}

export function requestsElsewhere(urls: readonly string[], origin: string): readonly string[] {
  return urls.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:"));
}
