// Whether the operator is to act at all, and on which assets: the autopilot annotation and the flag.

import { shorten } from "./shorten.ts";

export type ActivationMode = "always" | "opt-in";

export type Activation = {
  /** Idle: nothing is written, and nothing is undone. */
  readonly isActive: boolean;
  /** Names of assets and groups that are listed; undefined: there is no list, all assets may act. */
  readonly listed: ReadonlySet<string> | undefined;
  /** Items of the list that name neither an asset nor a group; a few of them. */
  readonly unknown: readonly string[];
};

type Named = { readonly name: string; readonly group?: string };

/** The annotation, when it says something, wins over the mode. */
export function readActivation(
  annotation: string | undefined,
  mode: ActivationMode,
  assets: readonly Named[],
): Activation {
  const text = (annotation ?? "").trim();
  if (text === "" || text === "true" || text === "false") {
    const isActive = text === "" ? mode === "always" : text === "true";
    return { isActive, listed: undefined, unknown: [] };
  }
  const names = new Set(assets.flatMap(({ name, group }) => [name, group ?? name]));
  const items = new Set(text.split(",").map((item) => item.trim()));
  items.delete("");
  const listed = new Set([...items].filter((item) => names.has(item)));
  const unknown = [...items].filter((item) => !names.has(item));
  return { isActive: listed.size > 0, listed, unknown: unknown.slice(0, mostTold).map((item) => shorten(item)) };
}

// Each becomes an event; a text of thousands is no list of assets.
const mostTold = 10;

/** Whether the list, if there is one, lets an asset act. */
export function isAllowed({ listed }: Activation, asset: Named): boolean {
  return listed === undefined || isListed(listed, asset);
}

/** Whether somebody asked for it by name. */
export function isAskedFor({ listed }: Activation, asset: Named): boolean {
  return listed !== undefined && isListed(listed, asset);
}

function isListed(listed: ReadonlySet<string>, { name, group }: Named): boolean {
  return listed.has(name) || (group !== undefined && listed.has(group));
}
