// The options and the execution settings of a plan, including defaults.

import { Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { VirtPlatformConfig } from "@virt/api";
import { executionSettings } from "@virt/views";
import { strings } from "../strings.ts";
import { type KnownOptions, optionRows } from "./option-rows.ts";
import { EditOptions } from "./options-dialog.tsx";

/** Keyed by profile. Set by the bundler. */
declare const OPTION_DEFAULTS: Readonly<Record<string, KnownOptions>>;

const texts = strings.plan;

export function PlanOptions({ config }: { readonly config: VirtPlatformConfig }) {
  const options = optionRows(config, OPTION_DEFAULTS[config.spec.profile]);
  return (
    <section aria-labelledby="options-title" className="vc-section">
      <Title headingLevel="h2" size="lg" id="options-title">
        {texts.options}
      </Title>
      {options.length === 0 ? (
        <p>{texts.noOptions}</p>
      ) : (
        <Table aria-label={texts.options} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>{texts.option}</Th>
              <Th>{texts.value}</Th>
              <Th>{texts.source}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {options.map(({ name, value, isDefault, from }) => (
              <Tr key={name}>
                <Td dataLabel={texts.option}>{name}</Td>
                <Td dataLabel={texts.value}>{value ?? texts.notSet}</Td>
                <Td dataLabel={texts.source}>
                  {from === undefined ? (isDefault ? texts.byDefault : texts.byYou) : texts.derived(from)}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
      <EditOptions config={config} />
      <Title headingLevel="h2" size="lg">
        {texts.execution}
      </Title>
      <p>{texts.executionText}</p>
      <ExecutionSettings config={config} />
    </section>
  );
}

/** The settings that are approved together with a plan, so the approve dialog shows them too. */
export function ExecutionSettings({ config }: { readonly config: VirtPlatformConfig }) {
  return (
    <Table aria-label={texts.execution} variant="compact" gridBreakPoint="grid-md" data-testid="execution-settings">
      <Thead>
        <Tr>
          <Th>{texts.setting}</Th>
          <Th>{texts.value}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {executionSettings(config.spec).map(({ name, value, weakens }) => (
          <Tr key={name}>
            <Td dataLabel={texts.setting}>{name}</Td>
            <Td dataLabel={texts.value}>{weakens === undefined ? value : `${value}: ${weakens}`}</Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
