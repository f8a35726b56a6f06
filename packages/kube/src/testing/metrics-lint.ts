// Checks scraped metrics against the rules of Prometheus promlint for names, units, and help.

const abbreviations = ["s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d"];
const oddUnits = ["minutes", "hours", "days", "weeks", "bits", "milliseconds", "microseconds", "nanoseconds", "kilobytes"]; // biome-ignore format: a list

export function lint(text: string): readonly string[] {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return types.flatMap(([, name = "", type = ""]) => {
    const help = new RegExp(`^# HELP ${name} \\S`, "m").test(text);
    return problemsOf(name, type, help).map((problem) => `${name}: ${problem}`);
  });
}

function problemsOf(name: string, type: string, hasHelp: boolean): readonly string[] {
  const words = name.toLowerCase().split("_");
  const short = words.filter((word, at) => at > 0 && abbreviations.includes(word));
  const odd = words.filter((word) => oddUnits.includes(word));
  const rules: readonly (readonly [boolean, string])[] = [
    [!hasHelp, "no help"],
    [type === "counter" && !name.endsWith("_total"), "a counter ends in _total"],
    [type !== "counter" && name.endsWith("_total"), "only a counter ends in _total"],
    [type !== "histogram" && /_(?:bucket|count|sum)$/.test(name), "a histogram's suffix"],
    [words.includes(type), "its type is in its name"],
    [!/^[a-z][a-z0-9_]*$/.test(name), "not snake case"],
    [short.length > 0, `abbreviated unit ${short.join(", ")}`],
    [odd.length > 0, `not a base unit: ${odd.join(", ")}`],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
}
