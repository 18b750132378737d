import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { stateOfRun } from '../../lib/run-words.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

const EVERY_MS = 3_000;

/** The runs that a message has started, at most one per workflow. Renders nothing if there are none. */
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
              const { tone, word } = stateOfRun(row);
              return <Status tone={tone}>{word}</Status>;
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
