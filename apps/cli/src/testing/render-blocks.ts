import type { Block } from "../blocks.ts";
import { type OutputFormat, Printer } from "../printer.ts";

type RenderOptions = { readonly format?: OutputFormat; readonly columns?: number; readonly isColored?: boolean };

/** Renders blocks as text. Without `columns`, lines are not wrapped. */
export function renderBlocks(
  blocks: readonly Block[],
  { format = "table", columns, isColored = false }: RenderOptions = {},
): string {
  const silent = () => {};
  const printer = new Printer({ format, isColored, columns, writeData: silent, writeProgress: silent });
  return printer.render({ type: "Thing", data: { items: [1] }, blocks });
}
