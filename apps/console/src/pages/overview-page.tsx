// The overview page: profiles with their next steps, assets by state, and the health of the controllers.

import {
  Alert,
  Card,
  CardBody,
  CardFooter,
  CardHeader,
  CardTitle,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Gallery,
  Title,
} from "@patternfly/react-core";
import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { assetStates } from "@virt/cluster";
import { asText, at } from "@virt/objects";
import {
  ageText,
  combinedStateText,
  expectedRollout,
  hasPlanBegun,
  isDrifted,
  leftBehindNotice,
  profileRow,
  progressCount,
  secondsSince,
  uncheckedText,
  viewRollout,
} from "@virt/views";
import type { ReactNode } from "react";
import { readReport } from "./data/report.ts";
import { useConfigs, useKind, useNow, useObjects, useWanted } from "./data/use-cluster.ts";
import { useDriftRows } from "./data/use-drift.ts";
import { RollingPools } from "./overview/rolling-pools.tsx";
import { Age } from "./parts/age-text.tsx";
import { AssetStateLabel, PhaseLabel, SeverityLabel } from "./parts/labels.tsx";
import { NextStepButtons, NextStepText } from "./parts/next-step.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { PhaseMessage } from "./parts/phase-message.tsx";
import { EmptyPage, Need } from "./parts/states.tsx";
import { isCarriedOut } from "./plan/shown-plan.ts";
import { hrefOf } from "./routes.ts";
import { strings } from "./strings.ts";

const texts = strings.overview;

export function OverviewPage() {
  useWanted("configs", "pools", "reports", "advisorLeases", "platformLeases");
  return (
    <>
      <PageHead title={strings.pages.overview} />
      <OperatorBanners />
      <RollingPools />
      <Need of="configs" what={strings.profiles}>
        <Profiles />
      </Need>
      <AssetCounts />
    </>
  );
}

function Profiles() {
  const configs = useConfigs();
  if (configs.length === 0)
    return <EmptyPage title={texts.noProfiles} text={texts.noProfilesText} command={texts.noProfilesCommand} />;
  return (
    <Gallery hasGutter minWidths={{ default: "min(100%, 22rem)" }} component="ul" aria-label={strings.profiles}>
      {configs.map((config) => (
        <li key={config.metadata.name}>
          <ProfileCard config={config} />
        </li>
      ))}
    </Gallery>
  );
}

function ProfileCard({ config }: { readonly config: VirtPlatformConfig }) {
  const now = useNow();
  const row = profileRow(config, now);
  const { name } = row;
  const count = progressCount(row);
  const rollout = expectedRollout(config) === undefined ? viewRollout(config, now) : undefined;
  const unchecked = rollout && uncheckedText(rollout);
  return (
    <Card isFullHeight data-testid={`profile-${name}`}>
      <CardHeader>
        <CardTitle component="h2">{name}</CardTitle>
      </CardHeader>
      <CardBody>
        <PhaseLabel phase={row.phase} isStalled={row.isStalled} />
        {row.description === undefined ? null : <p className="vc-quiet">{row.description}</p>}
        {row.documentation === undefined ? null : (
          <a href={row.documentation} target="_blank" rel="noreferrer" aria-label={`${texts.documentation}: ${name}`}>
            {texts.documentation}
          </a>
        )}
        {row.impactSummary === undefined || row.phase !== "ReviewRequired" ? null : <p>{row.impactSummary}</p>}
        <DescriptionList isCompact isHorizontal isFluid className="vc-facts">
          {row.impact === undefined || isCarriedOut(row.phase) ? null : (
            <Fact term={texts.impact}>
              <SeverityLabel severity={row.impact} />
            </Fact>
          )}
          <Fact term={texts.drift}>
            <DriftCount config={config} />
          </Fact>
          {row.planSince === undefined ? null : (
            <Fact term={texts.planAge}>
              <Age time={row.planSince} />
            </Fact>
          )}
          {count === undefined ? null : <Fact term={texts.progress}>{count}</Fact>}
        </DescriptionList>
        <PhaseMessage config={config} />
        {unchecked === undefined ? null : <p>{unchecked}</p>}
        {row.leftBehind === undefined ? null : (
          <p data-testid={`left-behind-${name}`}>{leftBehindNotice(row.leftBehind)}</p>
        )}
        <NextStepText config={config} row={row} />
      </CardBody>
      <CardFooter className="vc-actions">
        <NextStepButtons config={config} row={row} />
      </CardFooter>
    </Card>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}

function DriftCount({ config }: { readonly config: VirtPlatformConfig }) {
  const { status = {} } = config;
  const isFound = isDrifted(status);
  const { rows } = useDriftRows(isFound ? [config] : none);
  if (!isFound) return <>{hasPlanBegun(status.phase) ? texts.noDrift : texts.notWatched}</>;
  return <a href={hrefOf({ page: "drift" })}>{texts.driftFields(rows.length)}</a>;
}

const none: readonly VirtPlatformConfig[] = [];

function AssetCounts() {
  const { state, resource } = useKind("reports");
  const [report] = useObjects("reports");
  const { rows, operators } = (report && readReport(report)) ?? {};
  const combined = operators && combinedStateText(operators);
  const counts = Map.groupBy(rows ?? [], (row) => row.state);
  if (state === "loading") return null;
  return (
    <section aria-labelledby="assets-title" className="vc-section">
      <Title headingLevel="h2" size="lg" id="assets-title">
        {texts.assets}
      </Title>
      {combined === undefined ? null : <p data-testid="platform-operators">{combined}</p>}
      {rows === undefined ? (
        <p>{state === "forbidden" ? strings.forbidden.title(resource) : texts.noReport}</p>
      ) : (
        <ul className="vc-chips">
          {assetStates.map((one) => (
            <li key={one}>
              <AssetStateLabel
                state={one}
                count={counts.get(one)?.length ?? 0}
                href={hrefOf({ page: "assets", state: one })}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const controllers = [
  { name: "advisor", kind: "advisorLeases" },
  { name: "platform", kind: "platformLeases" },
] as const;

function OperatorBanners() {
  return (
    <>
      {controllers.map(({ name, kind }) => (
        <OperatorBanner key={name} name={name} kind={kind} />
      ))}
    </>
  );
}

type OperatorBannerProps = {
  readonly name: (typeof controllers)[number]["name"];
  readonly kind: (typeof controllers)[number]["kind"];
};

function OperatorBanner({ name, kind }: OperatorBannerProps) {
  const now = useNow();
  const { state } = useKind(kind);
  const leases = useObjects(kind);
  const isUnseen = useConfigs().some(({ status }) => status?.phase === undefined);
  if (state !== "listed") return null;
  // Without leader election there is no lease. In that case, a config without a status shows that the advisor is down.
  if (leases.length === 0)
    return name === "advisor" && isUnseen ? (
      <Alert isInline variant="warning" title={texts.operatorAbsent(name)}>
        {texts.operatorAbsentText}
      </Alert>
    ) : null;
  const ages = leases.map((lease) => leaseAge(lease, now)).filter((age) => age !== undefined);
  const youngest = Math.min(...ages);
  if (ages.length > 0 && youngest < staleLeaseSeconds) return null;
  return (
    <Alert isInline variant="warning" title={texts.operatorSilent(name)}>
      {texts.operatorSilentText(ages.length === 0 ? "?" : ageText(youngest))}
    </Alert>
  );
}

/** A controller counts as down if its lease is older than this. A leader renews its lease every few seconds. */
const staleLeaseSeconds = 120;

function leaseAge(lease: KubeObject, now: number): number | undefined {
  return secondsSince(asText(at(lease, "spec", "renewTime")), now);
}
