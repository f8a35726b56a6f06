// Panels as data, and their places in a grid. Each viewer has its own format for them.

/** A panel of a dashboard. Units have the names that Grafana uses. */
export type Panel = {
  readonly title: string;
  readonly description: string;
  readonly shown: "lines" | "number";
  readonly unit: "short" | "s" | "reqps" | "bytes" | "percentunit";
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
};

/** Queries by legend. */
type Queries = Readonly<Record<string, string>>;

const asked = (queries: Queries) => Object.entries(queries).map(([legend, expr]) => ({ legend, expr }));

export const number = (title: string, description: string, expr: string): Panel => ({
  title,
  description,
  shown: "number",
  unit: "short",
  queries: asked({ [title]: expr }),
});

export const lines = (title: string, unit: Panel["unit"], description: string, queries: Queries): Panel => ({
  title,
  description,
  shown: "lines",
  unit,
  queries: asked(queries),
});

/** A panel with its place in a grid of 24 columns. */
export type PlacedPanel = {
  readonly panel: Panel;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

const width = { lines: 12, number: 6 } as const;
const height = { lines: 8, number: 4 } as const;
const columns = 24;

/** Places the panels in rows, in reading order. */
export function placePanels(panels: readonly Panel[]): readonly PlacedPanel[] {
  let [x, y, tallest] = [0, 0, 0];
  return panels.map((panel) => {
    const size = { width: width[panel.shown], height: height[panel.shown] };
    if (x + size.width > columns) [x, y, tallest] = [0, y + tallest, 0];
    const here = { panel, x, y, ...size };
    x += size.width;
    tallest = Math.max(tallest, size.height);
    return here;
  });
}
