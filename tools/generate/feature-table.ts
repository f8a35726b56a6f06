import { assets } from "@virt/catalog";
import { type FeatureRow, featureRows } from "@virt/platform";
import { code, line, word } from "./markdown.ts";

export function featureTable(): readonly string[] {
  return [
    "| feature | description | maturity | default | switch | assets | needed operators | impact |",
    "|---|---|---|---|---|---|---|---|",
    ...featureRows(assets).map(featureLine),
  ];
}

function featureLine(row: FeatureRow): string {
  const { feature, description, maturity, operators, impact } = row;
  return line(
    feature,
    description,
    maturity,
    row.default,
    word(row.switch),
    row.assets.map(code).join(", "),
    operators.join(", ") || "none",
    impact,
  );
}
