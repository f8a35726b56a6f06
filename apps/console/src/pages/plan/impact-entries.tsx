// Lists the VMs and pods that block a drain, with remedies, and those that stop.

import { ExpandableSection, Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { ImpactEntry } from "@virt/api";
import { blockerRemedies } from "@virt/views";
import { useState } from "react";
import { ObjectLink } from "../parts/object-link.tsx";
import { Remedies } from "../parts/remedies.tsx";
import { ToggleLabel } from "../parts/states.tsx";
import { useSortedRows } from "../parts/use-sorted-rows.ts";
import { strings } from "../strings.ts";

const texts = strings.plan;

type ImpactEntriesProps = {
  readonly title: string;
  readonly entries: readonly ImpactEntry[];
  readonly more: number;
  readonly areBlockers?: boolean;
};

const sortKeys = {
  node: (entry: ImpactEntry) => entry.node,
  object: ({ kind, namespace, name }: ImpactEntry) => `${kind} ${namespace}/${name}`,
  reason: (entry: ImpactEntry) => entry.reason,
};

export function ImpactEntries({ title, entries, more, areBlockers = false }: ImpactEntriesProps) {
  const { sorted, sortOf } = useSortedRows(entries, sortKeys);
  if (entries.length === 0) return null;
  return (
    <>
      <Title headingLevel="h3" size="md">
        {title}
      </Title>
      <Table aria-label={title} variant="compact" gridBreakPoint="grid-md">
        <Thead>
          <Tr>
            <Th sort={sortOf("node")}>{texts.node}</Th>
            <Th sort={sortOf("object")}>{texts.object}</Th>
            <Th sort={sortOf("reason")}>{texts.reason}</Th>
            {areBlockers ? <Th>{texts.remedies}</Th> : null}
          </Tr>
        </Thead>
        <Tbody>
          {sorted.map((entry) => (
            <Tr key={`${entry.node}${entry.kind}${entry.namespace}/${entry.name}`}>
              <Td dataLabel={texts.node}>
                <ObjectLink kind="Node" name={entry.node} />
              </Td>
              <Td dataLabel={texts.object}>
                <EntryName {...entry} />
              </Td>
              <Td dataLabel={texts.reason}>{entry.reason}</Td>
              {areBlockers ? (
                <Td dataLabel={texts.remedies}>
                  <EntryRemedies entry={entry} />
                </Td>
              ) : null}
            </Tr>
          ))}
        </Tbody>
      </Table>
      {more > 0 ? <p>{texts.more(more)}</p> : null}
    </>
  );
}

function EntryName({ kind, namespace, name }: ImpactEntry) {
  if (kind === "Pod") return <>{`Pod ${namespace}/${name}`}</>;
  return (
    <>
      VM <ObjectLink kind={kind} namespace={namespace} name={name} />
    </>
  );
}

function EntryRemedies({ entry }: { readonly entry: ImpactEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const label = isOpen ? texts.hideRemedies : texts.showRemedies;
  return (
    <ExpandableSection
      toggleContent={<ToggleLabel label={label} about={`${entry.namespace}/${entry.name}`} />}
      isExpanded={isOpen}
      onToggle={(_, isExpanded) => setIsOpen(isExpanded)}
    >
      {isOpen ? <Remedies remedies={blockerRemedies(entry)} /> : null}
    </ExpandableSection>
  );
}
