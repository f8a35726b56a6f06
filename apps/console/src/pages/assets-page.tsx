// The assets page: lists the assets, and why the platform controller applies or skips each one.

import {
  Button,
  FormSelect,
  FormSelectOption,
  SearchInput,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import { ExpandableRowContent, Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { assetStates } from "@virt/cluster";
import { memo, useMemo, useState } from "react";
import { AssetDetails } from "./assets/asset-details.tsx";
import { AutopilotBanner } from "./assets/autopilot-banner.tsx";
import { SharedReasons } from "./assets/shared-reasons.tsx";
import { fitsFilter } from "./data/events.ts";
import { type AssetLine, readReport } from "./data/report.ts";
import { isShared, sharedReasons } from "./data/shared-reasons.ts";
import { useObjects, useWanted } from "./data/use-cluster.ts";
import { AssetStateLabel } from "./parts/labels.tsx";
import { MoreRows, useRowPortion } from "./parts/more-rows.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { EmptyPage, Need } from "./parts/states.tsx";
import { useSortedRows } from "./parts/use-sorted-rows.ts";
import { hrefOf, openRoute } from "./routes.ts";
import { strings } from "./strings.ts";

const texts = strings.assets;

type AssetsPageProps = { readonly state: string | undefined; readonly filter: string | undefined };

export function AssetsPage({ state, filter }: AssetsPageProps) {
  useWanted("configs", "reports", "platformEvents");
  return (
    <>
      <PageHead title={strings.pages.assets} />
      <Need of="reports" what={strings.pages.assets}>
        <AssetTable state={state ?? ""} filter={filter ?? ""} />
      </Need>
    </>
  );
}

const sortKeys = {
  asset: (row: AssetLine) => row.asset,
  tier: (row: AssetLine) => row.group,
  object: (row: AssetLine) => row.object,
  state: (row: AssetLine) => row.state,
  manager: (row: AssetLine) => row.managedBy,
  reason: (row: AssetLine) => row.why,
};

function AssetTable({ state, filter }: { readonly state: string; readonly filter: string }) {
  const [configMap] = useObjects("reports");
  const report = useMemo(() => (configMap === undefined ? undefined : readReport(configMap)), [configMap]);
  const show = (next: { readonly state?: string; readonly filter?: string }) => {
    const asked = { state, filter, ...next };
    openRoute({
      page: "assets",
      ...(asked.state !== "" && { state: asked.state }),
      ...(asked.filter !== "" && { filter: asked.filter }),
    });
  };
  const rows = (report?.rows ?? []).filter(
    (row) =>
      (state === "" || row.state === state) &&
      fitsFilter([row.asset, row.group, row.object, row.managedBy, row.why], filter),
  );
  const shared = useMemo(() => sharedReasons(report?.rows ?? []), [report]);
  const { sorted, sortOf } = useSortedRows(rows, sortKeys);
  const { shown, hidden, showMore } = useRowPortion(sorted);
  if (report === undefined) return <EmptyPage title={texts.noReport} text={texts.noReportText} />;
  return (
    <>
      {report.hasHco ? null : <EmptyPage title={texts.noHco} text={texts.noHcoText} />}
      <AutopilotBanner operators={report.operators} />
      {report.hasHco ? <SharedReasons shared={shared} hco={report.hco} /> : null}
      <Toolbar>
        <ToolbarContent>
          <ToolbarItem>
            <SearchInput
              aria-label={texts.filter}
              placeholder={texts.filter}
              value={filter}
              onChange={(_, value) => show({ filter: value })}
              onClear={() => show({ filter: "" })}
            />
          </ToolbarItem>
          <ToolbarItem>
            <FormSelect aria-label={texts.state} value={state} onChange={(_, value) => show({ state: value })}>
              <FormSelectOption value="" label={texts.all} />
              {assetStates.map((one) => (
                <FormSelectOption key={one} value={one} label={one} />
              ))}
            </FormSelect>
          </ToolbarItem>
        </ToolbarContent>
      </Toolbar>
      {rows.length === 0 ? (
        <EmptyPage title={texts.none} text={texts.noneText}>
          <Button component="a" variant="link" href={hrefOf({ page: "assets" })}>
            {texts.clear}
          </Button>
        </EmptyPage>
      ) : (
        <Table aria-label={strings.pages.assets} variant="compact" gridBreakPoint="grid-lg" isExpandable>
          <Thead>
            <Tr>
              <Th screenReaderText={texts.details} />
              <Th sort={sortOf("asset")}>{texts.asset}</Th>
              <Th sort={sortOf("tier")} modifier="wrap">
                {texts.tier}
              </Th>
              <Th sort={sortOf("object")}>{texts.object}</Th>
              <Th sort={sortOf("state")}>{texts.state}</Th>
              <Th sort={sortOf("manager")} modifier="wrap">
                {texts.managedBy}
              </Th>
              <Th sort={sortOf("reason")}>{texts.reason}</Th>
            </Tr>
          </Thead>
          {shown.map((row, at) => (
            <AssetRows
              key={`${row.asset} ${row.object}`}
              row={row}
              at={at}
              isReasonShared={report.hasHco && isShared(row, shared)}
            />
          ))}
        </Table>
      )}
      <MoreRows hidden={hidden} showMore={showMore} />
    </>
  );
}

type AssetRowsProps = { readonly row: AssetLine; readonly at: number; readonly isReasonShared: boolean };

const AssetRows = memo(function AssetRows({ row, at, isReasonShared }: AssetRowsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Tbody isExpanded={isOpen}>
      <Tr isContentExpanded={isOpen} data-testid={`asset-${row.asset}`}>
        <Td
          expand={{
            rowIndex: at,
            isExpanded: isOpen,
            onToggle: () => setIsOpen(!isOpen),
            expandId: `asset-${row.asset}`,
          }}
        />
        <Td dataLabel={texts.asset}>{row.asset}</Td>
        <Td dataLabel={texts.tier}>{row.group}</Td>
        <Td dataLabel={texts.object} modifier="breakWord">
          {row.object}
        </Td>
        <Td dataLabel={texts.state}>
          <AssetStateLabel state={row.state} />
        </Td>
        <Td dataLabel={texts.managedBy} modifier="breakWord">
          {row.managedBy}
        </Td>
        <Td dataLabel={texts.reason} modifier="breakWord">
          {isReasonShared ? <span className="pf-v6-screen-reader">{texts.seeAbove}</span> : row.why}
          {row.status === "GovernedByPlan" ? <PlanLink why={row.why} /> : null}
        </Td>
      </Tr>
      {isOpen ? (
        <Tr isExpanded>
          <Td noPadding colSpan={7}>
            <ExpandableRowContent>
              <AssetDetails row={row} />
            </ExpandableRowContent>
          </Td>
        </Tr>
      ) : null}
    </Tbody>
  );
});

function PlanLink({ why }: { readonly why: string }) {
  const configs = useObjects("configs");
  const governing = configs.find(({ metadata }) => why.includes(metadata.name));
  if (governing === undefined) return null;
  return (
    <>
      {" "}
      <a href={hrefOf({ page: "plan", name: governing.metadata.name })}>{texts.governed}</a>
    </>
  );
}
