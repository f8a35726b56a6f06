// The drift page: changed fields with their managers, and changed inputs. Rows that clear stay until the page reloads.

import { Label, Title } from "@patternfly/react-core";
import { CheckCircleIcon } from "@patternfly/react-icons";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { VirtPlatformConfig } from "@virt/api";
import { ageText, type DriftRow, isDrifted, movedInputs, planPatches } from "@virt/views";
import { useEffect, useMemo } from "react";
import type { ClusterData } from "./data/cluster-data.ts";
import { useCluster, useConfigs, useNow, useWanted } from "./data/use-cluster.ts";
import { useDriftRows } from "./data/use-drift.ts";
import { CompareDialog } from "./drift/compare-dialog.tsx";
import { TimeAgo } from "./parts/age-text.tsx";
import { ConfigButton } from "./parts/config-actions.tsx";
import { ObjectDialog } from "./parts/object-dialog.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { EmptyPage, Loading, Need } from "./parts/states.tsx";
import { useSortedRows } from "./parts/use-sorted-rows.ts";
import { settingsHref } from "./routes.ts";
import { strings } from "./strings.ts";

const texts = strings.drift;

export function DriftPage() {
  useWanted("configs");
  return (
    <>
      <PageHead title={strings.pages.drift} />
      <Need of="configs" what={strings.profiles}>
        <DriftTables />
      </Need>
    </>
  );
}

function DriftTables() {
  const now = useNow();
  const configs = useConfigs();
  const drifted = useMemo(() => configs.filter(({ status = {} }) => isDrifted(status)), [configs]);
  const { rows, checkedAt } = useDriftRows(drifted);
  const shown = useVisitRows(rows);
  const moved = configs.flatMap((config) => movedInputs(config));
  const settings = settingsHref();
  if (checkedAt === undefined) return <Loading what={texts.targets} />;
  const age = Math.max(0, Math.floor((now - checkedAt) / 1000));
  return (
    <>
      {shown.length === 0 && moved.length === 0 ? (
        <EmptyPage title={texts.none} text={age < 2 ? texts.checkedNow : texts.checked(ageText(age))} />
      ) : null}
      {shown.length === 0 ? null : <DriftTable shown={shown} />}
      {drifted.length === 0 ? null : (
        <div className="vc-actions">
          {drifted.map((config) => (
            <ReplanButton key={config.metadata.name} config={config} />
          ))}
        </div>
      )}
      {moved.length === 0 ? null : (
        <section aria-labelledby="moved-title" className="vc-section">
          <Title headingLevel="h2" size="lg" id="moved-title">
            {texts.moved}
          </Title>
          <p data-testid="moved-text">
            {texts.movedText} {settings === undefined ? null : <a href={settings}>{texts.openSettings}</a>}
          </p>
          <Table aria-label={texts.moved} variant="compact" gridBreakPoint="grid-md">
            <Thead>
              <Tr>
                <Th>{strings.profile}</Th>
                <Th>{texts.input}</Th>
                <Th>{texts.applied}</Th>
                <Th>{texts.now}</Th>
              </Tr>
            </Thead>
            <Tbody>
              {moved.map(({ config, name, applied, now: present }) => (
                <Tr key={`${config}${name}`}>
                  <Td dataLabel={strings.profile}>{config}</Td>
                  <Td dataLabel={texts.input}>{name}</Td>
                  <Td dataLabel={texts.applied}>{applied}</Td>
                  <Td dataLabel={texts.now}>{present}</Td>
                </Tr>
              ))}
            </Tbody>
          </Table>
        </section>
      )}
    </>
  );
}

function ReplanButton({ config }: { readonly config: VirtPlatformConfig }) {
  const { name } = config.metadata;
  return (
    <ConfigButton
      config={config}
      label={texts.replanFor(name)}
      patches={planPatches(config)}
      done={strings.overview.started(name)}
    />
  );
}

type VisitRow = { readonly row: DriftRow; readonly isCleared: boolean };

/** The rows seen since the page was loaded, per cluster connection. */
const seenInVisit = new WeakMap<ClusterData, ReadonlyMap<string, DriftRow>>();

/** Returns the current rows, followed by the rows that have cleared since the page was loaded. */
function useVisitRows(rows: readonly DriftRow[]): readonly VisitRow[] {
  const cluster = useCluster();
  const seen = seenInVisit.get(cluster) ?? new Map<string, DriftRow>();
  useEffect(() => {
    const before = seenInVisit.get(cluster) ?? [];
    if (rows.length > 0)
      seenInVisit.set(cluster, new Map([...before, ...rows.map((row) => [rowKey(row), row] as const)]));
  }, [cluster, rows]);
  const current = new Set(rows.map(rowKey));
  const cleared = [...seen].filter(([key]) => !current.has(key)).map(([, row]) => ({ row, isCleared: true }));
  return [...rows.map((row) => ({ row, isCleared: false })), ...cleared];
}

function rowKey({ config, item, field }: DriftRow): string {
  return `${config} ${item} ${field}`;
}

type CompareRowProps = {
  readonly row: DriftRow;
  readonly configs: readonly VirtPlatformConfig[];
  readonly title: string;
};

function CompareRow({ row, configs, title }: CompareRowProps) {
  const config = configs.find(({ metadata }) => metadata.name === row.config);
  const item = config?.status?.items?.find(({ name }) => name === row.item);
  return item === undefined ? null : <CompareDialog item={item} title={title} />;
}

const sortKeys = {
  object: ({ row }: VisitRow) => targetTitle(row),
  field: ({ row }: VisitRow) => row.field,
  who: ({ row }: VisitRow) => row.manager,
  since: ({ row }: VisitRow) => row.since ?? "",
};

function targetTitle({ target: { kind, namespace, name } }: DriftRow): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function DriftTable({ shown }: { readonly shown: readonly VisitRow[] }) {
  const configs = useConfigs();
  const { sorted, sortOf } = useSortedRows(shown, sortKeys);
  return (
    <section aria-labelledby="drift-title" className="vc-section">
      <Title headingLevel="h2" size="lg" id="drift-title">
        {texts.changed}
      </Title>
      <Table aria-label={texts.changed} variant="compact" gridBreakPoint="grid-lg" data-testid="drift">
        <Thead>
          <Tr>
            <Th modifier="wrap" sort={sortOf("object")}>
              {strings.plan.object}
            </Th>
            <Th modifier="wrap" sort={sortOf("field")}>
              {texts.field}
            </Th>
            <Th>{texts.wanted}</Th>
            <Th>{texts.found}</Th>
            <Th modifier="wrap" sort={sortOf("who")}>
              {texts.who}
            </Th>
            <Th modifier="wrap" sort={sortOf("since")}>
              {texts.since}
            </Th>
            <Th screenReaderText={texts.openObject} />
          </Tr>
        </Thead>
        <Tbody>
          {sorted.map(({ row, isCleared }) => {
            const title = targetTitle(row);
            return (
              <Tr key={rowKey(row)}>
                <Td dataLabel={strings.plan.object} modifier="breakWord">
                  {title}{" "}
                  {isCleared ? (
                    <Label isCompact color="green" icon={<CheckCircleIcon />}>
                      {texts.cleared}
                    </Label>
                  ) : null}
                </Td>
                <Td dataLabel={texts.field} modifier="breakWord">
                  {row.field === "" ? texts.whole : row.field}
                </Td>
                <Td dataLabel={texts.wanted} modifier="breakWord">
                  <code>{row.wanted}</code>
                </Td>
                <Td dataLabel={texts.found} modifier="breakWord">
                  <code>{row.message ?? row.found}</code>
                </Td>
                <Td dataLabel={texts.who}>
                  {row.manager === ""
                    ? texts.notReported
                    : `${row.manager}${row.operation === undefined ? "" : ` (${row.operation})`}`}
                </Td>
                <Td dataLabel={texts.since}>{row.since === undefined ? null : <TimeAgo time={row.since} />}</Td>
                <Td>
                  <div className="vc-actions">
                    <CompareRow row={row} configs={configs} title={title} />
                    <ObjectDialog target={row.target} label={texts.openObject} title={title} />
                  </div>
                </Td>
              </Tr>
            );
          })}
        </Tbody>
      </Table>
    </section>
  );
}
