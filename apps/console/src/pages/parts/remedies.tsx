import { List, ListItem } from "@patternfly/react-core";
import type { BlockerRemedy } from "@virt/views";
import { CommandText } from "./states.tsx";

export function Remedies({ remedies }: { readonly remedies: readonly BlockerRemedy[] }) {
  return (
    <List component="ol">
      {remedies.map(({ text, consequence, command }) => (
        <ListItem key={text}>
          {text} {consequence}
          {command === undefined ? null : <CommandText text={command} />}
        </ListItem>
      ))}
    </List>
  );
}
