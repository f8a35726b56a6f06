// Renders long tables in chunks, because rendering thousands of rows at once is slow.

import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { strings } from "../strings.ts";

export type RowPortion<Row> = {
  readonly shown: readonly Row[];
  readonly hidden: number;
  readonly showMore: () => void;
};

const portion = 50;

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
