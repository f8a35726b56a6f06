// Shows the override annotations on one object, their effects, and commands to add others.

import { List, ListItem, Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { KubeObject } from "@virt/api";
import type { AssetLine } from "../data/report.ts";
import type { LiveObject } from "../data/use-live-object.ts";
import { ShowCommand } from "../parts/states.tsx";
import { strings } from "../strings.ts";
import { fillOverride } from "./override-commands.ts";
import { annotateCommand, type NamedTarget } from "./target-name.ts";

const texts = strings.assets;

export const overridePrefix = "platform.kubevirt.io/";
/** The override annotations. The HyperConverged also has switches with the same prefix. */
const overrideKeys = ["patch", "ignore-fields", "mode", "adopt", "reconcile-paused"];

type OverridesProps = { readonly row: AssetLine; readonly target: NamedTarget; readonly live: LiveObject };

export function ObjectOverrides({ row, target, live }: OverridesProps) {
  const command = annotateCommand(target);
  const object = live.kind === "found" ? live.object : undefined;
  return (
    <>
      <Title headingLevel="h3" size="md">
        {texts.overrides}
      </Title>
      <SetOverrides row={row} live={live} command={command} />
      {command === undefined ? null : (
        <>
          <p>{texts.overridesText}</p>
          <List isPlain>
            {texts.overrideCommands.map(({ what, annotation }) => (
              <ListItem key={annotation}>
                {what}
                <ShowCommand
                  text={`${command} ${overridePrefix}${fillOverride(annotation, row.fields, object)}`}
                  about={what.replace(/:$/u, "")}
                />
              </ListItem>
            ))}
          </List>
        </>
      )}
    </>
  );
}

type SetOverridesProps = {
  readonly row: AssetLine;
  readonly live: LiveObject;
  readonly command: string | undefined;
};

function SetOverrides({ row, live, command }: SetOverridesProps) {
  if (live.kind === "reading") return <p>{strings.loading(row.object)}</p>;
  if (live.kind === "refused")
    return <p>{live.status === 404 ? texts.noObject : texts.overridesUnknown(live.message)}</p>;
  const said = overridesOn(live.object);
  if (said.length === 0) return <p>{texts.noOverrides}</p>;
  return (
    <Table aria-label={texts.overrides} variant="compact" gridBreakPoint="grid-md" data-testid="overrides">
      <Thead>
        <Tr>
          <Th>{texts.annotation}</Th>
          <Th>{texts.value}</Th>
          <Th>{texts.result}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {said.map(({ key, value }) => (
          <Tr key={key}>
            <Td dataLabel={texts.annotation} modifier="breakWord">
              {key}
            </Td>
            <Td dataLabel={texts.value} modifier="breakWord">
              <code>{value}</code>
            </Td>
            <Td dataLabel={texts.result}>
              {resultOf(key, value, row)}
              {command === undefined ? null : <ShowCommand text={`${command} ${key}-`} about={key} />}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function overridesOn({ metadata }: KubeObject) {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key]) => overrideKeys.some((known) => key === `${overridePrefix}${known}`))
    .map(([key, value]) => ({ key, value }));
}

/** Derives the effect of an override from the last reconcile. */
function resultOf(key: string, value: string, { state, why, released }: AssetLine): string {
  if (state === "On hold" || state === "Failed") return texts.notHonoured(why);
  switch (key.slice(overridePrefix.length)) {
    case "patch":
      return texts.results.patch;
    case "ignore-fields":
      return released.length === 0 ? texts.results.ignoreFields : texts.released(released.join(", "));
    case "mode":
      return value === "unmanaged" ? texts.results.unmanaged : texts.results.managed;
    case "adopt":
      return value === "true" ? texts.results.adopt : texts.results.none;
    case "reconcile-paused":
      return value === "true" ? texts.results.paused : texts.results.none;
    default:
      return texts.results.none;
  }
}
