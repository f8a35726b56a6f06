import { Alert } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { ExpectedPool } from "@virt/views";
import { strings } from "../strings.ts";

const texts = strings.rollout;

type ExpectedOrderProps = {
  readonly title: string;
  readonly hasPlan: boolean;
  readonly pools: readonly ExpectedPool[];
};

export function ExpectedOrder({ title, hasPlan, pools }: ExpectedOrderProps) {
  return (
    <section className="vc-section" data-testid="expected-order">
      <Alert isInline variant="info" title={title} />
      {!hasPlan || pools.length === 0 ? null : (
        <Table aria-label={texts.expected} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>{strings.plan.pool}</Th>
              <Th>{strings.plan.nodes}</Th>
              <Th>{strings.plan.atOnce}</Th>
              <Th>{texts.expected}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {pools.map(({ name: pool, nodes, held, atOnce, order, more }) => (
              <Tr key={pool}>
                <Td dataLabel={strings.plan.pool}>{pool}</Td>
                <Td dataLabel={strings.plan.nodes}>{held === 0 ? nodes : `${nodes} + ${held}`}</Td>
                <Td dataLabel={strings.plan.atOnce}>{atOnce}</Td>
                <Td dataLabel={texts.expected}>
                  {more > 0 ? `${order.join(", ")} ${strings.plan.more(more)}` : order.join(", ")}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}
