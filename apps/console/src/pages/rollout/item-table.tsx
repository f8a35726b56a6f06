// The items of a running plan: their state, their duration and their dependencies.

import { Label, type LabelProps } from "@patternfly/react-core";
import { CheckCircleIcon, ExclamationCircleIcon, PendingIcon, SyncAltIcon } from "@patternfly/react-icons";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { Item, ItemState } from "@virt/api";
import { readTime } from "@virt/objects";
import { ageText, secondsSince } from "@virt/views";
import type { ComponentType } from "react";
import { Age, TimeAgo } from "../parts/age-text.tsx";
import { useSortedRows } from "../parts/use-sorted-rows.ts";
import { strings } from "../strings.ts";

const texts = strings.rollout;

type StateStyle = { readonly icon: ComponentType; readonly color: NonNullable<LabelProps["color"]> };

const stateStyles: Readonly<Record<ItemState, StateStyle>> = {
  Pending: { icon: PendingIcon, color: "grey" },
  InProgress: { icon: SyncAltIcon, color: "blue" },
  Completed: { icon: CheckCircleIcon, color: "green" },
  Failed: { icon: ExclamationCircleIcon, color: "red" },
};

const sortKeys = { item: (item: Item) => item.name, state: (item: Item) => item.state };

export function ItemTable({ items }: { readonly items: readonly Item[] }) {
  const { sorted, sortOf } = useSortedRows(items, sortKeys);
  if (items.length === 0) return null;
  return (
    <Table aria-label={texts.items} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th sort={sortOf("item")}>{texts.item}</Th>
          <Th sort={sortOf("state")}>{texts.state}</Th>
          <Th>{texts.elapsed}</Th>
          <Th>{texts.message}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {sorted.map((item) => {
          const { icon: Icon, color } = stateStyles[item.state];
          return (
            <Tr key={item.name}>
              <Td dataLabel={texts.item}>{item.name}</Td>
              <Td dataLabel={texts.state}>
                <Label isCompact color={color} icon={<Icon />}>
                  {item.state}
                </Label>
              </Td>
              <Td dataLabel={texts.elapsed}>
                <Elapsed item={item} />
              </Td>
              <Td dataLabel={texts.message} modifier="breakWord">
                {item.message}
                {item.waitsFor === undefined || item.state !== "Pending" ? "" : ` ${texts.waitsFor(item.waitsFor)}`}
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
  );
}

function Elapsed({ item }: { readonly item: Item }) {
  const { state, rollout, lastTransitionTime: changed } = item;
  const began = rollout?.startTime;
  if (state === "Pending") return null;
  if (state === "InProgress") {
    const since = began ?? changed;
    return since === undefined ? null : <Age time={since} />;
  }
  const ended = readTime(changed ?? "");
  const seconds = ended === undefined ? undefined : secondsSince(began, ended);
  if (seconds !== undefined) return <span title={`${began} – ${changed}`}>{ageText(seconds)}</span>;
  return changed === undefined ? null : <TimeAgo time={changed} />;
}
