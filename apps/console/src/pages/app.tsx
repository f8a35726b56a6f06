// The standalone console: masthead, navigation, theme, banners and the current page.

import {
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadMain,
  MastheadToggle,
  Nav,
  NavItem,
  NavList,
  Page,
  PageSection,
  PageSidebar,
  PageSidebarBody,
  PageToggleButton,
  SkipToContent,
} from "@patternfly/react-core";
import { BarsIcon } from "@patternfly/react-icons";
import { useConfigs, useSnapshot, useWanted } from "./data/use-cluster.ts";
import { useAnnouncedPhases } from "./parts/announcer.tsx";
import { IdentityText } from "./parts/identity-text.tsx";
import { ThemeSwitch } from "./parts/theme-switch.tsx";
import { ConnectionBanner, RoutedPage } from "./routed-page.tsx";
import { hrefOf, type PageName, pageNames, useRoute } from "./routes.ts";
import { SignedOutPage } from "./signed-out-page.tsx";
import { strings } from "./strings.ts";

export function App() {
  const route = useRoute();
  const { signedOut } = useSnapshot();
  useWanted("configs");
  useAnnouncedPhases(useConfigs());
  return (
    <Page
      masthead={<Head />}
      sidebar={<Pages current={route.page} />}
      isManagedSidebar
      mainContainerId="content"
      skipToContent={
        <SkipToContent
          href="#content"
          onClick={(event) => {
            event.preventDefault();
            document.getElementById("content")?.focus();
          }}
        >
          {strings.skip}
        </SkipToContent>
      }
    >
      <PageSection className="vc-page">
        {signedOut === undefined ? (
          <>
            <ConnectionBanner />
            <RoutedPage route={route} />
          </>
        ) : (
          <SignedOutPage why={signedOut} />
        )}
      </PageSection>
    </Page>
  );
}

function Head() {
  return (
    <Masthead className="vc-masthead" display={{ default: "inline" }}>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton variant="plain" aria-label={strings.toggleNavigation}>
            <BarsIcon />
          </PageToggleButton>
        </MastheadToggle>
        <MastheadBrand>
          <strong className="vc-brand">{strings.product}</strong>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <IdentityText />
        <ThemeSwitch />
      </MastheadContent>
    </Masthead>
  );
}

function Pages({ current }: { readonly current: PageName }) {
  return (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label={strings.navigation}>
          <NavList>
            {pageNames.map((page) => (
              <NavItem key={page} to={hrefOf({ page })} isActive={page === current}>
                {strings.pages[page]}
              </NavItem>
            ))}
          </NavList>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
