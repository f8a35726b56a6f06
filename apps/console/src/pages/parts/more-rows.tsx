// Long tables in portions: a page of thousands of rows is slow to open and to change, and nobody reads it to its end.

import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { strings } from "../strings.ts";

export type RowPortion<Row> = {
  readonly shown: readonly Row[];
  /** How many are not shown. */
  readonly hidden: number;
  readonly showMore: () => void;
};

const portion = 50;

/** The first rows, and another portion each time that more are asked for. */
export function useRowPortion<Row>(rows: readonly Row[]): RowPortion<Row> {
  const [most, setMost] = useState(portion);
  return {
    shown: rows.slice(0, most),
    hidden: Math.max(0, rows.length - most),
    showMore: () => setMost((before) => before + portion),
  };
}

export function MoreRows({ hidden, showMore }: Omit<RowPortion<unknown>, "shown">) {
  if (hidden === 0) return null;
  return (
    <Button variant="link" onClick={showMore}>
      {strings.moreRows(Math.min(portion, hidden), hidden)}
    </Button>
  );
}
