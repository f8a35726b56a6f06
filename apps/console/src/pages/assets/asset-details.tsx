// The details of one asset: the live object, contested fields, adopt and resume, overrides and events.

import { List, ListItem, Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { autopilotName } from "@virt/api";
import { eventLines } from "../data/events.ts";
import type { AssetLine, ContestedField } from "../data/report.ts";
import { useObjects } from "../data/use-cluster.ts";
import { targetPath } from "../data/use-drift.ts";
import { type LiveObject, useLiveObject } from "../data/use-live-object.ts";
import { TimeAgo } from "../parts/age-text.tsx";
import { ObjectDialog } from "../parts/object-dialog.tsx";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";
import { AnnotationAction } from "./annotation-action.tsx";
import { ObjectOverrides, overridePrefix } from "./overrides.tsx";

const texts = strings.assets;

export function AssetDetails({ row }: { readonly row: AssetLine }) {
  const { target } = row;
  const path = targetPath(target);
  const live = useLiveObject(path, `${row.status} ${row.lastWrite} ${row.why}`);
  const isThere = live.kind === "found";
  return (
    <div className="vc-details">
      <p>
        {isThere ? <ObjectDialog target={target} label={texts.effective} title={row.object} /> : null}
        {row.lastWrite === "" ? null : (
          <>
            {" "}
            {texts.lastWrite} <TimeAgo time={row.lastWrite} />.
          </>
        )}
      </p>
      {row.impact === "" ? null : <p>{texts.dueWrite(row.impact)}</p>}
      {row.contested.length === 0 ? null : (
        <>
          <Title headingLevel="h3" size="md">
            {texts.contested}
          </Title>
          <p>{texts.contestedText}</p>
          <ContestedTable fields={row.contested} />
        </>
      )}
      {row.managedBy === autopilotName ? (
        <p data-testid="managed-elsewhere">{texts.managedElsewhere(row.managedBy)}</p>
      ) : (
        <AssetActions row={row} live={live} />
      )}
      <LastEvents object={row.object} />
    </div>
  );
}

/** The actions on an object that virt-platform-autopilot does not manage. */
function AssetActions({ row, live }: { readonly row: AssetLine; readonly live: LiveObject }) {
  const { target } = row;
  return (
    <>
      <div className="vc-actions">
        {row.contested.length > 0 ? (
          <AnnotationAction
            target={target}
            label={texts.adopt}
            text={texts.adoptText}
            annotations={{ [`${overridePrefix}adopt`]: "true" }}
          >
            <ContestedTable fields={row.contested} />
          </AnnotationAction>
        ) : null}
        {row.status === "Paused" ? (
          <AnnotationAction
            target={target}
            label={texts.resume}
            text={texts.resumeText}
            annotations={{ [`${overridePrefix}reconcile-paused`]: null }}
          >
            <p>{row.why}</p>
          </AnnotationAction>
        ) : null}
      </div>
      {targetPath(target) === undefined ? null : <ObjectOverrides row={row} target={target} live={live} />}
    </>
  );
}

function ContestedTable({ fields }: { readonly fields: readonly ContestedField[] }) {
  return (
    <Table aria-label={texts.contested} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>{strings.drift.field}</Th>
          <Th>{texts.heldBy}</Th>
          <Th>{strings.drift.found}</Th>
          <Th>{strings.drift.wanted}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {fields.map(({ path, managers, found, wanted }) => (
          <Tr key={path}>
            <Td dataLabel={strings.drift.field} modifier="breakWord">
              {path}
            </Td>
            <Td dataLabel={texts.heldBy}>{managers.join(", ")}</Td>
            <Td dataLabel={strings.drift.found} modifier="breakWord">
              <code>{found}</code>
            </Td>
            <Td dataLabel={strings.drift.wanted} modifier="breakWord">
              <code>{wanted}</code>
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function LastEvents({ object }: { readonly object: string }) {
  const events = useObjects("platformEvents");
  const lines = eventLines(events)
    .filter((line) => line.related === object || line.object === object)
    .slice(0, 5);
  return (
    <>
      <Title headingLevel="h3" size="md">
        {texts.events}
      </Title>
      {lines.length === 0 ? (
        <p>{texts.noEvents}</p>
      ) : (
        <>
          <List isPlain>
            {lines.map(({ key, reason, note, time }) => (
              <ListItem key={key}>
                <TimeAgo time={time} />
                {`: ${reason}: ${note}`}
              </ListItem>
            ))}
          </List>
          <p>
            <a href={hrefOf({ page: "activity", filter: object })}>{texts.allEvents}</a>
          </p>
        </>
      )}
    </>
  );
}
