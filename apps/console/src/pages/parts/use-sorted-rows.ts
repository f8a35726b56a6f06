// Sortable columns. Rows keep their order until the user chooses a column.

import type { ThProps } from "@patternfly/react-table";
import { useMemo, useState } from "react";

/** Sorts numbers naturally, as the command line does. */
const collator = new Intl.Collator("en", { numeric: true });

export type ColumnValues<Row, Column extends string> = Readonly<Record<Column, (row: Row) => string>>;

type Chosen<Column> = { readonly column: Column; readonly direction: "asc" | "desc" };

/** Pass the same `values` object on every render. `sortOf` returns the `sort` property of a column header. */
export function useSortedRows<Row, Column extends string>(rows: readonly Row[], values: ColumnValues<Row, Column>) {
  const [chosen, setChosen] = useState<Chosen<Column> | undefined>();
  const sorted = useMemo(() => {
    if (chosen === undefined) return rows;
    const valueOf = values[chosen.column];
    const sign = chosen.direction === "asc" ? 1 : -1;
    return rows.toSorted((left, right) => sign * collator.compare(valueOf(left), valueOf(right)));
  }, [rows, values, chosen]);
  const sortOf = (column: Column): NonNullable<ThProps["sort"]> => ({
    columnIndex: 0,
    sortBy: chosen?.column === column ? { index: 0, direction: chosen.direction } : {},
    onSort: (_, __, direction) => setChosen({ column, direction }),
  });
  return { sorted, sortOf };
}
