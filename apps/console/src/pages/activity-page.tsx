import {
  FormSelect,
  FormSelectOption,
  Label,
  SearchInput,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import { ExclamationTriangleIcon, InfoCircleIcon } from "@patternfly/react-icons";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { memo, useMemo, useState } from "react";
import { type EventLine, eventLines, fitsFilter } from "./data/events.ts";
import { useConfigs, useKind, useObjects, useWanted } from "./data/use-cluster.ts";
import { TimeAgo } from "./parts/age-text.tsx";
import { MoreRows, useRowPortion } from "./parts/more-rows.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { EmptyPage, Loading, Need } from "./parts/states.tsx";
import { hrefOf } from "./routes.ts";
import { strings } from "./strings.ts";

const texts = strings.activity;

export function ActivityPage({ filter }: { readonly filter: string | undefined }) {
  useWanted("configs", "advisorEvents", "platformEvents");
  return (
    <>
      <PageHead title={strings.pages.activity} />
      <Events key={filter} given={filter ?? ""} />
    </>
  );
}

function Events({ given }: { readonly given: string }) {
  const [filter, setFilter] = useState(given);
  const [reason, setReason] = useState("");
  const [advisor, platform] = [useObjects("advisorEvents"), useObjects("platformEvents")];
  const states = [useKind("advisorEvents").state, useKind("platformEvents").state];
  const lines = useMemo(() => eventLines([...advisor, ...platform]), [advisor, platform]);
  const reasons = useMemo(() => [...new Set(lines.map((line) => line.reason))].toSorted(), [lines]);
  const fitting = useMemo(
    () =>
      lines.filter(
        (line) =>
          (reason === "" || line.reason === reason) &&
          fitsFilter([line.object, line.related, line.note, line.reason], filter),
      ),
    [lines, filter, reason],
  );
  const { shown, hidden, showMore } = useRowPortion(fitting);
  if (states.every((state) => state === "forbidden"))
    return (
      <Need of="advisorEvents" what={strings.pages.activity}>
        {null}
      </Need>
    );
  if (states.includes("loading")) return <Loading what={strings.pages.activity} />;
  return (
    <>
      <Toolbar>
        <ToolbarContent>
          <ToolbarItem>
            <SearchInput
              aria-label={texts.filter}
              placeholder={texts.filter}
              value={filter}
              onChange={(_, value) => setFilter(value)}
              onClear={() => setFilter("")}
            />
          </ToolbarItem>
          <ToolbarItem>
            <FormSelect aria-label={texts.reason} value={reason} onChange={(_, value) => setReason(value)}>
              <FormSelectOption value="" label={texts.allReasons} />
              {reasons.map((one) => (
                <FormSelectOption key={one} value={one} label={one} />
              ))}
            </FormSelect>
          </ToolbarItem>
        </ToolbarContent>
      </Toolbar>
      {fitting.length === 0 ? (
        <EmptyPage
          title={lines.length === 0 ? texts.none : texts.noneFit}
          text={lines.length === 0 ? texts.noneText : texts.clear}
        />
      ) : (
        <Table aria-label={strings.pages.activity} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>{texts.when}</Th>
              <Th>{texts.reason}</Th>
              <Th>{texts.object}</Th>
              <Th>{texts.what}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {shown.map((line) => (
              <EventRow key={line.key} line={line} />
            ))}
          </Tbody>
        </Table>
      )}
      <MoreRows hidden={hidden} showMore={showMore} />
    </>
  );
}

const EventRow = memo(function EventRow({ line }: { readonly line: EventLine }) {
  return (
    <Tr>
      <Td dataLabel={texts.when}>
        <TimeAgo time={line.time} />
      </Td>
      <Td dataLabel={texts.reason}>
        <Label
          isCompact
          color={line.type === "Warning" ? "orange" : "grey"}
          icon={line.type === "Warning" ? <ExclamationTriangleIcon /> : <InfoCircleIcon />}
        >
          {line.reason}
        </Label>
      </Td>
      <Td dataLabel={texts.object} modifier="breakWord">
        {line.object}
        {line.related === "" ? null : <div className="vc-quiet">{line.related}</div>}
      </Td>
      <Td dataLabel={texts.what} modifier="breakWord">
        <NoteText note={line.note} />
        {line.count > 1 ? <span className="vc-quiet"> {texts.times(line.count)}</span> : null}
      </Td>
    </Tr>
  );
});

function NoteText({ note }: { readonly note: string }) {
  const configs = useConfigs();
  const parts = note.split(/\b([0-9a-f]{12,64})\b/);
  return (
    <>
      {parts.map((part, at) => {
        const config =
          at % 2 === 1 ? configs.find(({ status }) => status?.planHash?.startsWith(part) === true) : undefined;
        if (config === undefined) return part;
        return (
          <a key={`${at}`} href={hrefOf({ page: "plan", name: config.metadata.name })}>
            {part}
          </a>
        );
      })}
    </>
  );
}
