import { ExpandableSection, Label, Title, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import type { Item } from "@virt/api";
import { useState } from "react";
import { SeverityLabel } from "../parts/labels.tsx";
import { strings } from "../strings.ts";
import { ItemDiff } from "./item-diff.tsx";
import type { ShownPlan } from "./shown-plan.ts";

const texts = strings.plan;

export function PlanItems({ plan: { items, config } }: { readonly plan: ShownPlan }) {
  const [isSideBySide, setIsSideBySide] = useState(false);
  return (
    <section aria-labelledby="items-title" className="vc-section">
      <div className="vc-section-head">
        <Title headingLevel="h2" size="lg" id="items-title">
          {texts.diff} <span className="vc-quiet">{texts.itemCount(items.length)}</span>
        </Title>
        <ToggleGroup aria-label={texts.diffView} isCompact>
          <ToggleGroupItem text={texts.unified} isSelected={!isSideBySide} onChange={() => setIsSideBySide(false)} />
          <ToggleGroupItem text={texts.sideBySide} isSelected={isSideBySide} onChange={() => setIsSideBySide(true)} />
        </ToggleGroup>
      </div>
      <ol className="vc-items">
        {items.map((item) => (
          <PlanItem key={item.name} item={item} profile={config.metadata.name} isSideBySide={isSideBySide} />
        ))}
      </ol>
    </section>
  );
}

type PlanItemProps = { readonly item: Item; readonly profile: string; readonly isSideBySide: boolean };

function PlanItem({ item, profile, isSideBySide }: PlanItemProps) {
  const { kind, namespace, name } = item.targetRef;
  const [isOpen, setIsOpen] = useState(item.changes);
  return (
    <li>
      <div className="vc-item-head">
        <strong>{item.name}</strong>
        <span>{`${item.operation} ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`}</span>
        <SeverityLabel severity={item.impactSeverity} />
        <Label isCompact variant="outline">
          {item.changes ? item.state : texts.unchanged}
        </Label>
      </div>
      {item.message === "" ? null : <p className="vc-quiet">{item.message}</p>}
      {item.waitsFor === undefined ? null : <p>{texts.waitsFor(item.waitsFor)}</p>}
      <ExpandableSection
        toggleText={`${texts.diff}: ${item.name}`}
        isExpanded={isOpen}
        onToggle={(_, isExpanded) => setIsOpen(isExpanded)}
      >
        <ItemDiff item={item} profile={profile} isSideBySide={isSideBySide} />
      </ExpandableSection>
    </li>
  );
}
