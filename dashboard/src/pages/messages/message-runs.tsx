import { useQuery } from '@tanstack/react-query';
import { api, type RunSummary } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { Section } from '../../ui/layout.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

const EVERY_MS = 3_000;

const STATES: Readonly<Record<RunSummary['status'], { tone: Tone; word: string }>> = {
  pending: { tone: 'pending', word: 'Pending' },
  running: { tone: 'running', word: 'Running' },
  waiting: { tone: 'pending', word: 'Waiting' },
  paused: { tone: 'held', word: 'Paused' },
  completed: { tone: 'delivered', word: 'Completed' },
  failed: { tone: 'failed', word: 'Failed' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
  skipped: { tone: 'cancelled', word: 'Skipped' },
};

/** The runs that a message has started, one of each workflow at most. Nothing where there are none. */
export function MessageRuns({ id }: { id: string }) {
  const { at, path } = useHere();
  const go = useGo();
  const runs = useQuery({
    queryKey: [path, 'runs-of-message', id],
    queryFn: async () => (await api.runs.list({ messageId: id, outputs: 'false', limit: 100 }, at).page()).data,
    refetchInterval: EVERY_MS,
  });
  const rows = runs.data ?? [];
  if (rows.length === 0) return <FailureNote error={runs.error} />;
  return (
    <Section title="Runs">
      <Table
        label="Runs"
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={(row) => go(`/runs/${row.id}`)}
        columns={[
          {
            head: 'Status',
            width: '116px',
            cell: (row) => {
              const { tone, word } = STATES[row.status];
              // A run that a filter has ended did not do everything.
              return <Status tone={tone}>{row.filteredBy === undefined ? word : 'Filtered'}</Status>;
            },
          },
          {
            head: 'Workflow',
            cell: (row) => (
              <HereLink to={`/runs/${row.id}`} className="hover:underline">
                <Name kind="workflow" id={row.workflowId} />
              </HereLink>
            ),
          },
          { head: 'Started', width: '100px', isNumber: true, cell: (row) => <Ago at={row.createdAt} /> },
        ]}
      />
    </Section>
  );
}
