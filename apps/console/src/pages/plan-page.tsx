// The plan page: the changes, their impact, and the decision about exactly this plan.

import { Alert, AlertActionLink, List, ListItem } from "@patternfly/react-core";
import type { Item, VirtPlatformConfig } from "@virt/api";
import { planName, profileRow } from "@virt/views";
import { useMemo, useState } from "react";
import { useConfigs, useNow, useWanted } from "./data/use-cluster.ts";
import { PhaseLabel } from "./parts/labels.tsx";
import { NextStepButtons, NextStepText } from "./parts/next-step.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { PhaseMessage } from "./parts/phase-message.tsx";
import { chooseConfig, ProfilePicker } from "./parts/profile-picker.tsx";
import { EmptyPage, Need } from "./parts/states.tsx";
import { Conflicts } from "./plan/conflicts.tsx";
import { ImpactView } from "./plan/impact-view.tsx";
import { PlanDecision } from "./plan/plan-decision.tsx";
import { PlanHead } from "./plan/plan-head.tsx";
import { PlanItems } from "./plan/plan-items.tsx";
import { PlanOptions } from "./plan/plan-options.tsx";
import { isBeingDrafted, isUndecided, planOf, type ShownPlan } from "./plan/shown-plan.ts";
import { strings } from "./strings.ts";

const texts = strings.plan;

export function PlanPage({ name }: { readonly name: string | undefined }) {
  useWanted("configs", "pools");
  return (
    <>
      <PageHead title={strings.pages.plan} />
      <Need of="configs" what={strings.profiles}>
        <ChosenPlan name={name} />
      </Need>
    </>
  );
}

function ChosenPlan({ name }: { readonly name: string | undefined }) {
  const configs = useConfigs();
  const config = chooseConfig(configs, name, ({ status }) => status?.phase === "ReviewRequired");
  const picker = <ProfilePicker page="plan" chosen={config?.metadata.name ?? ""} />;
  if (config === undefined)
    return (
      <>
        {picker}
        {name === undefined ? (
          <EmptyPage
            title={strings.overview.noProfiles}
            text={strings.overview.noProfilesText}
            command={strings.overview.noProfilesCommand}
          />
        ) : (
          <EmptyPage title={texts.noSuch(name)} text={texts.noSuchText} />
        )}
      </>
    );
  return (
    <>
      {picker}
      <PlanReview key={config.metadata.name} config={config} />
    </>
  );
}

function PlanReview({ config }: { readonly config: VirtPlatformConfig }) {
  const offered = useMemo(() => planOf(config), [config]);
  const [pinned, setPinned] = useState(offered);
  // A plan that awaits a decision stays on the page until the user asks for the new one. All other content updates
  // live.
  const isOther = offered?.planHash !== pinned?.planHash || isBeingDrafted(config);
  const isHeld = pinned !== undefined && isUndecided(pinned) && isOther;
  if (!isHeld && pinned !== offered) setPinned(offered);
  const shown = isHeld ? pinned : offered;
  const row = profileRow(config, useNow());
  if (shown === undefined)
    return (
      <EmptyPage title={texts.none} text={texts.noneText(config.metadata.name)}>
        <p>
          <PhaseLabel phase={row.phase} isStalled={row.isStalled} />
        </p>
        <PhaseMessage config={config} />
        <NextStepText config={config} row={row} />
        <NextStepButtons config={config} row={row} />
      </EmptyPage>
    );
  const isCurrent = !isHeld;
  return (
    <>
      {isCurrent ? null : <MovedPlan shown={shown} offered={offered} show={() => setPinned(offered)} />}
      <PlanHead plan={isCurrent ? shown : { ...shown, config }} />
      <PhaseMessage config={config} />
      {isUndecided(shown) ? <PlanDecision plan={shown} isCurrent={isCurrent} /> : null}
      <Warnings items={shown.items} shared={config.status?.warnings ?? []} />
      <ImpactView config={shown.config} impact={shown.impact} />
      <PlanItems plan={shown} />
      <Conflicts items={shown.items} planHash={shown.planHash} />
      <PlanOptions config={shown.config} />
    </>
  );
}

type MovedPlanProps = { readonly shown: ShownPlan; readonly offered: ShownPlan | undefined; readonly show: () => void };

function MovedPlan({ shown, offered, show }: MovedPlanProps) {
  const was = planName(shown.planHash);
  return (
    <div role="alert">
      <Alert
        isInline
        variant="warning"
        title={offered === undefined ? texts.gone : texts.changed}
        actionLinks={<AlertActionLink onClick={show}>{texts.showNew}</AlertActionLink>}
      >
        {offered === undefined ? texts.goneText(was) : texts.changedText(was, planName(offered.planHash))}
      </Alert>
    </div>
  );
}

type WarningsProps = { readonly items: readonly Item[]; readonly shared: readonly string[] };

function Warnings({ items, shared }: WarningsProps) {
  const pending = items.filter(({ state }) => state !== "Completed");
  const all = [...shared, ...pending.flatMap(({ name, warnings = [] }) => warnings.map((text) => `${name}: ${text}`))];
  if (all.length === 0) return null;
  return (
    <Alert isInline variant="warning" title={texts.warnings}>
      <List>
        {all.map((text) => (
          <ListItem key={text}>{text}</ListItem>
        ))}
      </List>
    </Alert>
  );
}
