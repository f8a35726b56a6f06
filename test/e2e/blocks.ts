export type Block = {
  readonly headline: string;
  readonly lead: string;
  readonly language: string;
  readonly text: string;
};

export function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: block = "", index }) => ({
    headline: headlineBefore(text.slice(0, index)),
    lead: paragraphBefore(text.slice(0, index)),
    language,
    text: block,
  }));
}

/** Ignores headings inside other blocks. */
function headlineBefore(text: string): string {
  const prose = text.replaceAll(/^```\w*\n.*?^```$/gms, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "";
}

function paragraphBefore(text: string): string {
  const [section = ""] = text.split(/^(?:```|#+ .*)$/m).slice(-1);
  return (
    section
      .trim()
      .split(/\n{2,}/)
      .at(-1) ?? ""
  );
}

/** If a block shows prompts, lines without a prompt are output. */
export function commandsOf({ language, text }: Block): readonly string[] {
  if (language !== "bash" && language !== "sh") return [];
  const all = statements(text);
  const prompted = all.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return prompted.length > 0 ? prompted : all;
}

/** Joins continued lines, and commands with their here-documents. */
function statements(text: string): readonly string[] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  return [...joined.matchAll(/^[^\n]*<<EOF\n.*?^EOF$|^[^\n]+$/gms)]
    .map(([line]) => line.replace(/ +# [^'"\n]*$/, "").trimEnd())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
