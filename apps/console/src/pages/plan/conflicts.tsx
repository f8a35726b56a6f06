// Lists the fields that the plan takes over from other field managers, with both values.

import { Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { Conflict, Item } from "@virt/api";
import { targetPath } from "../data/use-drift.ts";
import { useLiveObject } from "../data/use-live-object.ts";
import { strings } from "../strings.ts";
import { shownValue } from "./shown-value.ts";

const texts = strings.plan;

type ConflictsProps = { readonly items: readonly Item[]; readonly planHash: string };

export function Conflicts({ items, planHash }: ConflictsProps) {
  const contested = items.filter(({ conflicts = [] }) => conflicts.length > 0);
  if (contested.length === 0) return null;
  return (
    <section aria-labelledby="conflicts-title" className="vc-section" data-testid="conflicts">
      <Title headingLevel="h2" size="lg" id="conflicts-title">
        {texts.conflicts}
      </Title>
      <p>{texts.conflictsText}</p>
      <Table aria-label={texts.conflicts} variant="compact" gridBreakPoint="grid-lg">
        <Thead>
          <Tr>
            <Th>{texts.field}</Th>
            <Th>{texts.manager}</Th>
            <Th>{texts.operation}</Th>
            <Th>{texts.time}</Th>
            <Th>{texts.theirs}</Th>
            <Th>{texts.ours}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {contested.map((item) => (
            <ItemConflicts key={item.name} item={item} planHash={planHash} />
          ))}
        </Tbody>
      </Table>
    </section>
  );
}

function ItemConflicts({ item, planHash }: { readonly item: Item; readonly planHash: string }) {
  const live = useLiveObject(targetPath(item.targetRef), planHash);
  const theirs = ({ field }: Conflict) => {
    if (live.kind === "found") return shownValue(live.object, field);
    return live.kind === "reading" ? texts.theirsReading : texts.theirsUnknown;
  };
  return (item.conflicts ?? []).map((conflict) => (
    <Tr key={`${conflict.field}${conflict.manager}`}>
      <Td dataLabel={texts.field} modifier="breakWord">{`${item.name}: ${conflict.field}`}</Td>
      <Td dataLabel={texts.manager}>{conflict.manager}</Td>
      <Td dataLabel={texts.operation}>{conflict.operation}</Td>
      <Td dataLabel={texts.time}>{conflict.time ?? ""}</Td>
      <Td dataLabel={texts.theirs} modifier="breakWord">
        <code>{theirs(conflict)}</code>
      </Td>
      <Td dataLabel={texts.ours} modifier="breakWord">
        <code>{shownValue(item.desiredState, conflict.field)}</code>
      </Td>
    </Tr>
  ));
}
