// Placeholders for missing content: loading, empty, not served, forbidden.

import { ClipboardCopy, EmptyState, EmptyStateBody, ExpandableSection, Spinner } from "@patternfly/react-core";
import { CubesIcon, LockIcon, SearchIcon } from "@patternfly/react-icons";
import type { WatchedName } from "@virt/views";
import { type ReactNode, useState } from "react";
import { useKind } from "../data/use-cluster.ts";
import { strings } from "../strings.ts";

export function Loading({ what }: { readonly what: string }) {
  return (
    <EmptyState titleText={strings.loading(what)} headingLevel="h2" icon={Spinner} variant="sm">
      <EmptyStateBody />
    </EmptyState>
  );
}

type EmptyPageProps = {
  readonly title: string;
  readonly text?: string;
  readonly command?: string;
  readonly children?: ReactNode;
};

export function EmptyPage({ title, text, command, children }: EmptyPageProps) {
  return (
    <EmptyState titleText={title} headingLevel="h2" icon={command === undefined ? SearchIcon : CubesIcon} variant="sm">
      <EmptyStateBody>
        {text === undefined ? null : <p>{text}</p>}
        {command === undefined ? null : <ShowCommand text={command} />}
        {children}
      </EmptyStateBody>
    </EmptyState>
  );
}

export function CommandText({ text }: { readonly text: string }) {
  return (
    <ClipboardCopy
      isReadOnly
      isCode
      isBlock
      variant="inline-compact"
      hoverTip={strings.copy}
      clickTip={strings.copied}
      className="vc-command"
      copyAriaLabel={`${strings.copy}: ${text}`}
    >
      {text}
    </ClipboardCopy>
  );
}

/** `about` tells screen reader users which command the button shows, because a page can have several. */
type ShowCommandProps = { readonly text: string; readonly about?: string };

export function ShowCommand({ text, about }: ShowCommandProps) {
  const [isOpen, setIsOpen] = useState(false);
  const label = isOpen ? strings.hideCommand : strings.showCommand;
  return (
    <ExpandableSection
      className="vc-show-command"
      toggleContent={about === undefined ? label : <ToggleLabel label={label} about={about} />}
      isExpanded={isOpen}
      onToggle={(_, isExpanded) => setIsOpen(isExpanded)}
    >
      {isOpen ? <CommandText text={text} /> : null}
    </ExpandableSection>
  );
}

type ToggleLabelProps = { readonly label: string; readonly about: string };

/** A label with extra text for screen readers. PatternFly 6.4 has no property for this. */
export function ToggleLabel({ label, about }: ToggleLabelProps) {
  return (
    <>
      <span aria-hidden="true">{label}</span>
      <span className="pf-v6-screen-reader vc-spoken-label">{`${label}: ${about}`}</span>
    </>
  );
}

type NeedProps = { readonly of: WatchedName; readonly what: string; readonly children: ReactNode };

/** Shows the children once the kind is listed. Until then, shows the reason and the next step. */
export function Need({ of, what, children }: NeedProps) {
  const { state, resource, objects } = useKind(of);
  switch (state) {
    case "loading":
      return <Loading what={what} />;
    case "absent":
      return <EmptyPage title={strings.absent.title} text={strings.absent.text} command={strings.absent.command} />;
    case "forbidden":
      return (
        <EmptyState titleText={strings.forbidden.title(resource)} headingLevel="h2" icon={LockIcon} variant="sm">
          <EmptyStateBody>{strings.forbidden.text(resource)}</EmptyStateBody>
        </EmptyState>
      );
    case "unauthorized":
      return objects.size === 0 ? (
        <EmptyPage title={strings.connection.unauthorized} text={strings.connection.unauthorizedText} />
      ) : (
        <>{children}</>
      );
    case "listed":
      return <>{children}</>;
  }
}
