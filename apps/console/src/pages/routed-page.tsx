// Renders the page of a route, and a banner while its data may be out of date. Used by both consoles.

import { Alert } from "@patternfly/react-core";
import { useEffect } from "react";
import { ActivityPage } from "./activity-page.tsx";
import { AssetsPage } from "./assets-page.tsx";
import { useSnapshot } from "./data/use-cluster.ts";
import { DriftPage } from "./drift-page.tsx";
import { OverviewPage } from "./overview-page.tsx";
import { useAnnounce } from "./parts/announcer.tsx";
import { PlanPage } from "./plan-page.tsx";
import { RolloutPage } from "./rollout-page.tsx";
import type { PageRoute } from "./routes.ts";
import { strings } from "./strings.ts";

export function RoutedPage({ route }: { readonly route: PageRoute }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage />;
    case "plan":
      return <PlanPage name={route.name} />;
    case "rollout":
      return <RolloutPage name={route.name} />;
    case "drift":
      return <DriftPage />;
    case "assets":
      return <AssetsPage state={route.state} filter={route.filter} />;
    case "activity":
      return <ActivityPage filter={route.filter} />;
  }
}

export function ConnectionBanner() {
  const { isConnected, lastDataAt, kinds } = useSnapshot();
  const announce = useAnnounce();
  const problem = Object.values(kinds).find((kind) => kind.problem !== undefined)?.problem;
  const isHealthy = isConnected && problem === undefined;
  useEffect(() => {
    if (!isHealthy) return () => announce(strings.connection.back);
    return undefined;
  }, [isHealthy, announce]);
  if (isHealthy) return null;
  const time = lastDataAt === undefined ? "" : new Date(lastDataAt).toLocaleTimeString();
  const { title, text } = bannerText({ isConnected, time, problem: problem ?? "" });
  return (
    <div role="alert" data-testid="connection">
      <Alert isInline variant="warning" title={title}>
        {text}
      </Alert>
    </div>
  );
}

type BannerCause = {
  readonly isConnected: boolean;
  readonly time: string;
  readonly problem: string;
};

function bannerText({ isConnected, time, problem }: BannerCause) {
  const texts = strings.connection;
  if (!isConnected) return { title: texts.lost, text: time === "" ? texts.lostAtOnce : texts.lostText(time) };
  if (problem === "unauthorized") return { title: texts.unauthorized, text: texts.unauthorizedText };
  return { title: texts.old, text: texts.oldText(time, problem) };
}
