// Wraps our pages in the OpenShift console, which provides masthead and theme. Adds navigation and a banner.

import { Nav, NavItem, NavList, PageSection } from "@patternfly/react-core";
import { type MouseEvent, type ReactNode, useMemo } from "react";
import { useHref, useLocation, useNavigate } from "react-router";
import type { ClusterData } from "../pages/data/cluster-data.ts";
import { ClusterProvider, useConfigs, useWanted } from "../pages/data/use-cluster.ts";
import { Announcer, useAnnouncedPhases } from "../pages/parts/announcer.tsx";
import { ConnectionBanner } from "../pages/routed-page.tsx";
import { hrefOf, type PageRoute, pageNames, readRoute, setRouteAddress } from "../pages/routes.ts";
import { strings } from "../pages/strings.ts";
import { advisorPath, objectPath, settingsPath } from "./advisor-path.ts";
import { createPluginData } from "./plugin-data.ts";

let shared: { readonly base: string; readonly data: ClusterData } | undefined;

/** One instance for all pages and tabs, so that lists are kept when the user changes pages. */
function dataBelow(base: string): ClusterData {
  if (shared?.base !== base) shared = { base, data: createPluginData(`${base}api/kubernetes`) };
  return shared.data;
}

export function PluginShell({ children }: { readonly children: ReactNode }) {
  const base = useHref("/");
  const navigate = useNavigate();
  const open = (href: string) => void navigate(href.slice(base.length - 1));
  const prefix = `${base.slice(0, -1)}${advisorPath}`;
  const within = (path: string) => `${base.slice(0, -1)}${path}`;
  setRouteAddress({
    prefix,
    open,
    settingsHref: within(settingsPath),
    objectHref: (object) => within(objectPath(object)),
  });
  const data = useMemo(() => dataBelow(base), [base]);
  return (
    <ClusterProvider value={data}>
      <Announcer>
        {/* Links to our pages use the router, like the console's own links, so they do not reload the console. */}
        <div className="vc-plugin" onClick={(event) => followLink(event, prefix, open)}>
          <PageSection className="vc-page">
            <ConnectionBanner />
            <AnnouncedPhases />
            {children}
          </PageSection>
        </div>
      </Announcer>
    </ClusterProvider>
  );
}

function AnnouncedPhases() {
  useWanted("configs");
  useAnnouncedPhases(useConfigs());
  return null;
}

function followLink(event: MouseEvent, prefix: string, open: (href: string) => void): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href") ?? "";
  const isOurs = href === prefix || href.startsWith(`${prefix}/`);
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isOurs || !isPlain || event.defaultPrevented) return;
  event.preventDefault();
  open(href);
}

export function useAdvisorRoute(): PageRoute {
  const { pathname, search } = useLocation();
  return readRoute(`${pathname.slice(advisorPath.length)}${search}`);
}

/** The navigation between our pages. The console's own navigation has a single entry for all of them. */
export function PageRow({ current }: { readonly current: PageRoute["page"] }) {
  return (
    <Nav variant="horizontal-subnav" aria-label={strings.navigation} className="vc-page-row">
      <NavList>
        {pageNames.map((page) => (
          <NavItem key={page} to={hrefOf({ page })} isActive={page === current}>
            {strings.pages[page]}
          </NavItem>
        ))}
      </NavList>
    </Nav>
  );
}
