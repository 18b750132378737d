import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { api, type RunSummary, type Workflow } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { runTone } from './editor/last-result.tsx';

const NEWEST = 50;

/** The newest runs of a workflow. The page of all runs has the others, and the bulk actions. */
export function RunsTab({ workflow, onStart }: { workflow: Workflow; onStart: (() => void) | undefined }) {
  const { at, path } = useHere();
  const go = useGo();
  const found = useQuery({
    queryKey: [path, 'workflow', workflow.id, 'runs'],
    queryFn: async () =>
      (await api.runs.list({ workflowId: workflow.id, outputs: 'false', limit: NEWEST }, at).page()).data,
    refetchInterval: 5_000,
  });
  if (found.data === undefined)
    return (
      <NotRead of={found}>
        <SkeletonRows />
      </NotRead>
    );
  if (found.data.length === 0)
    return (
      <Empty
        icon={ListChecks}
        title="No runs yet"
        {...(onStart !== undefined && {
          actions: (
            <Button look="primary" onClick={onStart}>
              Start run…
            </Button>
          ),
        })}
      >
        {workflow.status === 'active'
          ? 'The next message that matches its trigger starts one.'
          : 'Runs start once the workflow is active.'}
      </Empty>
    );
  return (
    <div className="min-h-0 grow overflow-y-auto p-6 max-md:p-4">
      <Table<RunSummary>
        label="Newest runs"
        rows={found.data}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(`/runs/${id}`)}
        columns={[
          {
            head: 'Status',
            width: '132px',
            cell: (row) => {
              const [tone, word] = runTone(row.status);
              return (
                <HereLink to={`/runs/${row.id}`}>
                  <Status tone={tone}>{word}</Status>
                </HereLink>
              );
            },
          },
          { head: 'Result', cell: (row) => noteOf(row) },
          { head: 'Version', width: '76px', isNumber: true, isWide: true, cell: (row) => row.definitionVersion },
          { head: 'Duration', width: '110px', isNumber: true, isWide: true, cell: (row) => tookText(row) },
          { head: 'ID', width: '92px', isWide: true, cell: (row) => <CopyId id={row.id} /> },
          { head: 'Created', width: '112px', isNumber: true, cell: (row) => <Ago at={row.createdAt} /> },
        ]}
      />
      <p className="mt-3 flex items-center gap-3 text-12 text-text-3">
        {found.data.length < NEWEST ? counted(found.data.length, 'run') : `Newest ${NEWEST} runs`}
        <HereLink to="/runs" search={{ workflow: workflow.id }} className="text-accent hover:underline">
          View all runs
        </HereLink>
      </p>
    </div>
  );
}

const noteOf = ({ error, reason, filteredBy }: RunSummary): string =>
  error?.message ?? reason ?? (filteredBy === undefined ? '' : `Ended by ${filteredBy}`);

function tookText({ startedAt, finishedAt }: RunSummary): string {
  if (startedAt === undefined || finishedAt === undefined) return '—';
  return durationText(Date.parse(finishedAt) - Date.parse(startedAt));
}
