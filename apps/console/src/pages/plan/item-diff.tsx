// The diff of one item, unified or side by side. The raw object is shown on demand.

import { Button, CodeBlock, CodeBlockCode, ExpandableSection } from "@patternfly/react-core";
import type { Item } from "@virt/api";
import { type DiffLine, type ObjectDiff, readDiff } from "@virt/views";
import { useMemo, useState } from "react";
import { ShowCommand } from "../parts/states.tsx";
import { strings } from "../strings.ts";
import { blocksOf, type DiffBlock, type DiffTableRow } from "./diff-rows.ts";

const texts = strings.plan;

/** The title of a diff side that has no object. This side is hidden. */
const absent = "/dev/null";

type ItemDiffProps = { readonly item: Item; readonly profile: string; readonly isSideBySide: boolean };

export function ItemDiff({ item, profile, isSideBySide }: ItemDiffProps) {
  const diff = useMemo(() => readDiff(item.diff), [item.diff]);
  return (
    <>
      <DiffTables diff={diff} name={item.name} isSideBySide={isSideBySide} />
      {diff.leftOut > 0 ? (
        <>
          <p className="vc-quiet">{texts.leftOut(diff.leftOut)}</p>
          <ShowCommand text={texts.leftOutCommand(profile)} />
        </>
      ) : null}
      {item.desiredState === undefined ? null : (
        <ExpandableSection toggleText={texts.raw} aria-label={texts.rawText}>
          <CodeBlock>
            <CodeBlockCode className="vc-raw">{JSON.stringify(item.desiredState, null, 2)}</CodeBlockCode>
          </CodeBlock>
        </ExpandableSection>
      )}
    </>
  );
}

type DiffTablesProps = { readonly diff: ObjectDiff; readonly name: string; readonly isSideBySide: boolean };

export function DiffTables({ diff, name, isSideBySide }: DiffTablesProps) {
  const isEmpty = diff.hunks.length === 0;
  return (
    <>
      {isEmpty ? <p>{texts.noChange}</p> : null}
      {diff.hunks.map((hunk, at) => (
        // The box is focusable, so that keyboard users can scroll long diffs.
        <div
          key={`${at}${hunk.heading}`}
          className="vc-diff"
          tabIndex={0}
          role="region"
          aria-label={`${name} ${hunk.heading}`}
        >
          <table
            aria-label={`${diff.freshTitle}, ${texts.added(diff.added)}, ${texts.removed(diff.removed)}`}
            {...(isSideBySide && diff.oldTitle !== absent && { className: "vc-diff-pairs" })}
          >
            <thead className="pf-v6-screen-reader">
              <tr>
                <th scope="col">{texts.line}</th>
                <th scope="col">{isSideBySide ? texts.old : texts.line}</th>
                <th scope="col">{isSideBySide ? texts.line : texts.diff}</th>
                {isSideBySide ? <th scope="col">{texts.fresh}</th> : null}
              </tr>
            </thead>
            {hunk.heading === "" ? null : (
              <tbody>
                <tr className="vc-diff-heading">
                  <td colSpan={isSideBySide ? 4 : 3}>{hunk.heading}</td>
                </tr>
              </tbody>
            )}
            {blocksOf(hunk, isSideBySide).map((block, index) => (
              <DiffRows key={index} block={block} isSideBySide={isSideBySide} />
            ))}
          </table>
        </div>
      ))}
    </>
  );
}

function DiffRows({ block, isSideBySide }: { readonly block: DiffBlock; readonly isSideBySide: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const width = isSideBySide ? 4 : 3;
  return (
    <tbody>
      {block.isFolded ? (
        <tr className="vc-diff-fold">
          <td colSpan={width}>
            <Button variant="link" isInline aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? texts.unfold(block.rows.length) : texts.fold(block.rows.length)}
            </Button>
          </td>
        </tr>
      ) : null}
      {block.isFolded && !isOpen
        ? null
        : block.rows.map((row, at) =>
            isSideBySide ? <PairRow key={at} row={row} /> : <UnifiedRow key={at} row={row} />,
          )}
    </tbody>
  );
}

function UnifiedRow({ row: { left, right } }: { readonly row: DiffTableRow }) {
  const line = right ?? left;
  return (
    <tr className={lineClass(line)}>
      <td className="vc-diff-number">{left?.old}</td>
      <td className="vc-diff-number">{right?.fresh}</td>
      <td>
        <LineText line={line} />
      </td>
    </tr>
  );
}

function PairRow({ row: { left, right } }: { readonly row: DiffTableRow }) {
  return (
    <tr>
      <td className="vc-diff-number">{left?.old}</td>
      <td className={lineClass(left)}>
        <LineText line={left} />
      </td>
      <td className="vc-diff-number">{right?.fresh}</td>
      <td className={lineClass(right)}>
        <LineText line={right} />
      </td>
    </tr>
  );
}

const signs = { added: "+", removed: "-", context: " " } as const;

function LineText({ line }: { readonly line: DiffLine | undefined }) {
  if (line === undefined) return null;
  return (
    <code>
      {signs[line.kind]}
      {line.text}
    </code>
  );
}

function lineClass(line: DiffLine | undefined): string {
  return line === undefined ? "vc-diff-none" : `vc-diff-${line.kind}`;
}
