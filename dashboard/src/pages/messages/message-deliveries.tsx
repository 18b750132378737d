import type { Delivery } from '../../api/client.ts';
import { stateOfDelivery } from '../../lib/words.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { SubscriptionName } from '../../parts/names.tsx';
import { Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { LastResponse } from '../deliveries/delivery-state.tsx';
import type { useDeliveriesOf } from './use-message.ts';

const dash = <span className="text-text-3">—</span>;

const STATUS: TableColumn<Delivery> = {
  head: 'Status',
  width: '104px',
  cell: (row) => {
    const { tone, word } = stateOfDelivery(row);
    return <Status tone={tone}>{word}</Status>;
  },
};
const SUBSCRIPTION: TableColumn<Delivery> = {
  head: 'Subscription',
  cell: (row) => (
    <HereLink to={`/deliveries/${row.id}`} className="hover:underline">
      <SubscriptionName id={row.subscriptionId} />
    </HereLink>
  ),
};
const RESPONSE: TableColumn<Delivery> = { head: 'Response', width: '148px', cell: (row) => <LastResponse of={row} /> };

const NEXT: TableColumn<Delivery> = {
  head: 'Next attempt',
  width: '96px',
  isWide: true,
  cell: (row) => (row.nextRetryAt === undefined ? dash : <In at={row.nextRetryAt} />),
};
const columnsOf = (hasNext: boolean): readonly TableColumn<Delivery>[] => [
  STATUS,
  SUBSCRIPTION,
  { head: 'Attempts', width: '72px', isNumber: true, isWide: true, cell: (row) => row.attempts },
  RESPONSE,
  ...(hasNext ? [NEXT] : []),
  {
    head: 'Last attempt',
    width: '104px',
    isNumber: true,
    isWide: true,
    cell: (row) => (row.lastAttemptAt === undefined ? dash : <Ago at={row.lastAttemptAt} />),
  },
];
/** In a panel there is only room for the most important columns. */
const FEW_COLUMNS = [STATUS, SUBSCRIPTION, RESPONSE];

/** The deliveries of a message, one per subscription. A row links to its delivery. */
export function MessageDeliveries({
  id,
  of: { found, rows, isMore },
  isInPanel = false,
}: {
  id: string;
  of: ReturnType<typeof useDeliveriesOf>;
  isInPanel?: boolean;
}) {
  const go = useGo();
  if (rows.length === 0) return <FailureNote error={found.error} />;
  return (
    <Section
      title="Deliveries"
      end={
        <HereLink to="/deliveries" search={{ message: id }} className="text-accent hover:underline">
          View deliveries
        </HereLink>
      }
    >
      <Table
        label="Deliveries"
        columns={isInPanel ? FEW_COLUMNS : columnsOf(rows.some(({ nextRetryAt }) => nextRetryAt !== undefined))}
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={(row) => go(`/deliveries/${row.id}`)}
      />
      {isMore && <p className="mt-2 text-12 text-text-2">The newest {rows.length} are shown</p>}
    </Section>
  );
}
