// The page title, which receives focus when the page opens.

import { PageSection, Title } from "@patternfly/react-core";
import { type ReactNode, useEffect, useRef } from "react";
import { strings } from "../strings.ts";

type PageHeadProps = { readonly title: string; readonly children?: ReactNode };

export function PageHead({ title, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
    // Leaves the focus alone on the first page, where the browser sets it.
    if (document.activeElement !== null && document.activeElement !== document.body) heading.current?.focus();
  }, [title]);
  return (
    <PageSection padding={{ default: "noPadding" }} className="vc-head">
      <Title headingLevel="h1" size="2xl" ref={heading} tabIndex={-1}>
        {title}
      </Title>
      {children}
    </PageSection>
  );
}
