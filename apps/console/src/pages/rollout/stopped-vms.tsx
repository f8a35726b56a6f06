import { Alert, List, ListItem } from "@patternfly/react-core";
import type { RolloutProgressView } from "@virt/views";
import { CommandText } from "../parts/states.tsx";
import { strings } from "../strings.ts";

const texts = strings.rollout;

export function StoppedVmAlert({ vms, more }: NonNullable<RolloutProgressView["stopped"]>) {
  return (
    <Alert isInline variant="warning" className="vc-finding" title={texts.stoppedVms(vms.length + more)}>
      <List>
        {vms.map(({ name, command }) => (
          <ListItem key={name}>
            {name}
            {command === undefined ? null : <CommandText text={command} />}
          </ListItem>
        ))}
      </List>
      {more === 0 ? null : <p>{vms.length === 0 ? texts.unnamedVms : texts.moreVms(more)}</p>}
    </Alert>
  );
}
