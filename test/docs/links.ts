import { blocksIn } from "../e2e/blocks.ts";

/** Returns relative links only. */
export function linksOf(text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns a page's anchors, as GitHub names them. */
export function anchorsOf(text: string): readonly string[] {
  const headlines = [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, headline = ""]) => slug(headline));
  return headlines.map((name, index) => {
    const earlier = headlines.slice(0, index).filter((one) => one === name).length;
    return earlier === 0 ? name : `${name}-${earlier}`;
  });
}

/** Returns paths in backticks below these folders. `<name>` matches anything. */
export function pathsNamed(text: string, folders: readonly string[]): readonly string[] {
  return [...prose(text).matchAll(/`([\w.@-]+(?:\/[\w.@*<>{},-]+)+)\/?`/g)]
    .map(([, path = ""]) => path.replaceAll(/<[^>]*>/g, "*"))
    .filter((path) => folders.includes(path.split("/")[0] ?? ""));
}

export function targetsNamed(text: string): readonly string[] {
  const commands = blocksIn(text).filter(({ language }) => language === "sh" || language === "bash");
  const typed = commands.flatMap((block) => [...block.text.matchAll(/^make ([^#\n]*)/gm)]);
  const named = [...prose(text).matchAll(/`make ([^`]*)`/g)];
  return [...typed, ...named]
    .flatMap(([, words = ""]) => words.trim().split(/\s+/))
    .filter((word) => /^[a-z][a-z-]*$/.test(word));
}

function prose(text: string): string {
  return text.replaceAll(/^```\w*\n.*?^```$/gms, "");
}

function slug(headline: string): string {
  const words = headline.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}
