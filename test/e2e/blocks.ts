// The fenced blocks of a document, and the commands in them.

export type Block = {
  /** The last headline before it. */
  readonly headline: string;
  /** The paragraph right before it, in its section. */
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

/** What is within another block only looks like a headline. */
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

/** Where a prompt is printed, lines without one are what the command says. */
export function commandsOf({ language, text }: Block): readonly string[] {
  if (language !== "bash" && language !== "sh") return [];
  const all = statements(text);
  const prompted = all.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return prompted.length > 0 ? prompted : all;
}

/** Logical lines: continued ones are one, and so is a command with the text that it is given to read. */
function statements(text: string): readonly string[] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  return [...joined.matchAll(/^[^\n]*<<EOF\n.*?^EOF$|^[^\n]+$/gms)]
    .map(([line]) => line.replace(/ +# [^'"\n]*$/, "").trimEnd())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
