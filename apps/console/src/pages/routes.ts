// Page addresses. By default they are URL fragments, which browsers never send to a server.

import { useSyncExternalStore } from "react";

export type PageRoute =
  | { readonly page: "overview" | "drift" }
  | { readonly page: "plan" | "rollout"; readonly name?: string }
  | { readonly page: "assets"; readonly state?: string; readonly filter?: string }
  | { readonly page: "activity"; readonly filter?: string };

export type PageName = PageRoute["page"];

export const pageNames: readonly PageName[] = ["overview", "plan", "rollout", "drift", "assets", "activity"];

/** How a console builds the address of a page. */
export type RouteAddress = {
  readonly prefix: string;
  readonly open: (href: string) => void;
  /** The page for editing the HyperConverged, if the console has one. */
  readonly settingsHref?: string;
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

/** Call it once before the first render. */
export function setRouteAddress(own: RouteAddress): void {
  address = own;
}

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

export function settingsHref(): string | undefined {
  return address.settingsHref;
}

export function objectHref(object: LinkedObject): string | undefined {
  return address.objectHref?.(object);
}

export function openRoute(route: PageRoute): void {
  address.open(hrefOf(route));
}
