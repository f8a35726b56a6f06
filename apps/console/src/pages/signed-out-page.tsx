// Replaces every page once the session has ended. Shows the reason, and how to open the console again.

import { EmptyState, EmptyStateBody } from "@patternfly/react-core";
import { LockIcon } from "@patternfly/react-icons";
import type { SignedOut } from "./data/cluster-data.ts";
import { CommandText } from "./parts/states.tsx";
import { strings } from "./strings.ts";

export function SignedOutPage({ why }: { readonly why: SignedOut }) {
  const { titles, texts, reopen, command, resumes } = strings.signedOut;
  return (
    <div role="alert" data-testid="signed-out">
      <EmptyState titleText={titles[why]} headingLevel="h1" icon={LockIcon} variant="lg">
        <EmptyStateBody>
          <p>{texts[why]}</p>
          <p>{reopen}</p>
          <CommandText text={command} />
          <p>{resumes}</p>
        </EmptyStateBody>
      </EmptyState>
    </div>
  );
}
