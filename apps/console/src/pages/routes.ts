// Where a page is: in the fragment of the address, so that nothing of it ever reaches a server, unless the shell has addresses of its own.

import { useSyncExternalStore } from "react";

export type PageRoute =
  | { readonly page: "overview" | "drift" }
  | { readonly page: "plan" | "rollout"; readonly name?: string }
  | { readonly page: "assets"; readonly state?: string; readonly filter?: string }
  | { readonly page: "activity"; readonly filter?: string };

export type PageName = PageRoute["page"];

/** In the order of the list of pages. */
export const pageNames: readonly PageName[] = ["overview", "plan", "rollout", "drift", "assets", "activity"];

/** How the addresses of a shell hold a route. */
export type RouteAddress = {
  /** What stands before `/<page>`. */
  readonly prefix: string;
  readonly open: (href: string) => void;
  /** The pages on which people edit the HyperConverged, where the shell has them. */
  readonly settingsHref?: string;
  /** The page of an object, where the shell has one. */
  readonly objectHref?: (object: LinkedObject) => string;
};

export type LinkedObject = {
  readonly kind: "Node" | "VirtualMachineInstance";
  readonly namespace?: string;
  readonly name: string;
};

let address: RouteAddress = {
  prefix: "#",
  open: (href) => {
    location.hash = href;
  },
};

/** Once, before the first page is shown. */
export function setRouteAddress(own: RouteAddress): void {
  address = own;
}

/** Of what follows the prefix. */
export function readRoute(place: string): PageRoute {
  const [path = "", query = ""] = place.replace(/^#?\/?/, "").split("?");
  const [page = "", name] = path.split("/").map(decode);
  const asked = new URLSearchParams(query);
  const [state, filter] = [asked.get("state") ?? undefined, asked.get("filter") ?? undefined];
  switch (page) {
    case "plan":
    case "rollout":
      return { page, ...(name !== undefined && name !== "" && { name }) };
    case "drift":
      return { page };
    case "assets":
      return { page, ...(state !== undefined && { state }), ...(filter !== undefined && { filter }) };
    case "activity":
      return { page, ...(filter !== undefined && { filter }) };
    default:
      return { page: "overview" };
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

export function hrefOf(route: PageRoute): string {
  if (route.page === "overview") return `${address.prefix}/`;
  const name = "name" in route && route.name !== undefined ? `/${encodeURIComponent(route.name)}` : "";
  const query = new URLSearchParams();
  if ("state" in route && route.state !== undefined) query.set("state", route.state);
  if ("filter" in route && route.filter !== undefined && route.filter !== "") query.set("filter", route.filter);
  const asked = query.toString();
  return `${address.prefix}/${route.page}${name}${asked === "" ? "" : `?${asked}`}`;
}

export function useRoute(): PageRoute {
  const fragment = useSyncExternalStore(
    (listener) => {
      addEventListener("hashchange", listener);
      return () => removeEventListener("hashchange", listener);
    },
    () => location.hash,
  );
  return readRoute(fragment);
}

/** Undefined where there are no such pages. */
export function settingsHref(): string | undefined {
  return address.settingsHref;
}

/** Undefined where the shell has no pages for objects. */
export function objectHref(object: LinkedObject): string | undefined {
  return address.objectHref?.(object);
}

export function openRoute(route: PageRoute): void {
  address.open(hrefOf(route));
}
