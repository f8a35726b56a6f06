// The impact: key numbers, then pools, then blocking and stopping VMs.

import { Alert, ExpandableSection, List, ListItem, Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { Impact, VirtPlatformConfig } from "@virt/api";
import { useKind } from "../data/use-cluster.ts";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";
import { ImpactEntries } from "./impact-entries.tsx";
import { classText, isCarriedOut } from "./shown-plan.ts";

const texts = strings.plan;

export function ImpactView({
  config,
  impact,
}: {
  readonly config: VirtPlatformConfig;
  readonly impact: Impact | undefined;
}) {
  const { state } = useKind("pools");
  const { disruption = [], phase } = config.status ?? {};
  const hasNodeItem = (config.status?.items ?? []).some(
    ({ targetRef, changes }) => targetRef.kind === "MachineConfig" && changes,
  );
  return (
    <section aria-labelledby="impact-title" className="vc-section" data-testid="impact">
      <Title headingLevel="h2" size="lg" id="impact-title">
        {texts.impact}
      </Title>
      {isCarriedOut(phase) ? <CarriedOut config={config} /> : null}
      {hasNodeItem && state === "absent" ? <Alert isInline variant="warning" title={texts.unsupported} /> : null}
      {isCarriedOut(phase) ? null : impact === undefined ? (
        <p>
          {disruption.length === 0
            ? texts.noNodes
            : disruption.map((pool) => `${pool.pool}: ${classText(pool.class)}`).join(", ")}{" "}
          {disruption.length === 0 ? "" : texts.notAssessed}
        </p>
      ) : (
        <AssessedImpact impact={impact} />
      )}
    </section>
  );
}

/** The impact in the past tense, for a plan that will not cause any further reboots. */
function CarriedOut({ config }: { readonly config: VirtPlatformConfig }) {
  const { metadata, status = {} } = config;
  const pools = status.rollout?.pools ?? [];
  return (
    <p>
      {texts.carriedOut} {pools.map(({ name, done, total }) => texts.poolUpdated(name, done, total)).join(" ")}{" "}
      {pools.length === 0 ? null : <a href={hrefOf({ page: "rollout", name: metadata.name })}>{texts.openRollout}</a>}
    </p>
  );
}

export function AssessedImpact({ impact }: { readonly impact: Impact }) {
  const { vms, pods, duration, capacity, pools, blockers, stops, more, assumes, notAssessed } = impact;
  return (
    <>
      <p>{impact.summary}</p>
      <dl className="vc-figures">
        <Figure value={impact.nodes} word={texts.nodesReboot} />
        {impact.held === 0 ? null : <Figure value={impact.held} word={texts.nodesHeld} isBad />}
        {vms === undefined ? (
          <Figure value="?" word={texts.notAssessed} isBad />
        ) : (
          <>
            <Figure value={vms.migrate} word={texts.vmsMove} />
            <Figure value={vms.block + vms.external} word={texts.vmsBlock} isBad={vms.block + vms.external > 0} />
            <Figure value={vms.stop + vms.restart} word={texts.vmsStop} isBad={vms.stop + vms.restart > 0} />
          </>
        )}
        {vms === undefined || vms.unknown + vms.starting === 0 ? null : (
          <Figure value={vms.unknown + vms.starting} word={texts.vmsUnknown} isBad />
        )}
        {pods === undefined || pods.block === 0 ? null : <Figure value={pods.block} word={texts.podsBlock} isBad />}
        {duration === undefined ? null : <Figure value={duration.text} word={texts.takes} />}
        <Figure value={roomText(capacity)} word={texts.room} isBad={capacity.fits === "No"} />
      </dl>
      <Table aria-label={texts.pools} variant="compact" gridBreakPoint="grid-md">
        <Thead>
          <Tr>
            <Th>{texts.pool}</Th>
            <Th>{texts.class}</Th>
            <Th>{texts.nodes}</Th>
            <Th>{texts.atOnce}</Th>
            <Th>{texts.order}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {pools.map((pool) => (
            <Tr key={pool.name}>
              <Td dataLabel={texts.pool}>{pool.name}</Td>
              <Td dataLabel={texts.class}>
                {classText(pool.class)}
                {pool.holdup === undefined ? "" : `; ${texts.holdups[pool.holdup]}`}
                {pool.heldBy === undefined ? "" : ` (${pool.heldBy})`}
              </Td>
              <Td dataLabel={texts.nodes}>{pool.held === 0 ? pool.nodes : `${pool.nodes} + ${pool.held}`}</Td>
              <Td dataLabel={texts.atOnce}>{pool.atOnce}</Td>
              <Td dataLabel={texts.order}>{orderText(pool.order, pool.nodes + pool.held)}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
      {more.pools === 0 ? null : <p>{texts.more(more.pools)}</p>}
      <ImpactEntries title={texts.blockers} entries={blockers} more={more.blockers} areBlockers />
      <ImpactEntries title={texts.stops} entries={stops} more={more.stops} />
      {notAssessed.length === 0 ? null : (
        <Alert isInline variant="info" title={texts.gaps}>
          <List>
            {notAssessed.map(({ what, reason, message }) => (
              <ListItem key={`${what}${reason}`}>{`${what}: ${message} (${reason})`}</ListItem>
            ))}
          </List>
        </Alert>
      )}
      {assumes.length === 0 ? null : (
        <ExpandableSection toggleText={texts.assumes}>
          <List>
            {assumes.map((text) => (
              <ListItem key={text}>{text}</ListItem>
            ))}
          </List>
        </ExpandableSection>
      )}
    </>
  );
}

type FigureProps = { readonly value: number | string; readonly word: string; readonly isBad?: boolean };

function Figure({ value, word, isBad = false }: FigureProps) {
  return (
    <div className={isBad ? "vc-figure vc-figure-bad" : "vc-figure"}>
      <dt>{word}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function roomText({ fits, unplacedVMs, nodes }: Impact["capacity"]): string {
  if (fits === "No") return texts.roomNo(unplacedVMs, nodes);
  return fits === "Yes" ? texts.roomYes : texts.roomUnknown;
}

function orderText(order: readonly string[], total: number): string {
  const rest = total - order.length;
  return rest > 0 ? `${order.join(", ")} ${texts.more(rest)}` : order.join(", ");
}
