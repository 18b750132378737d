import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, type Approval } from '../../api/client.ts';
import { memberText } from '../../lib/raw-json.ts';
import { APPROVAL_STATES } from '../../lib/run-words.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { Doer } from '../../parts/doer.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { usePaused } from '../../parts/pause.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Status, StatusBadge } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

const STATUSES = ['approved', 'rejected', 'expired', 'cancelled'] as const;
const AT_ONCE = 100;
/** Without a filter, pages also contain open decisions: if a page has no others, the next one is loaded. */
const LEAST = 10;

/** The status filter of the history. */
export function useHistoryStatus(): (typeof STATUSES)[number] | undefined {
  const [search] = useAddress();
  return oneOf(search['status'], STATUSES);
}

/** Decisions that were made, expired or were cancelled, newest first. `isShown`: it has a card on the page. */
export function History({ isShown, every }: { isShown: (id: string) => boolean; every: number }) {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const status = useHistoryStatus();
  const isPaused = usePaused();
  const found = useInfiniteQuery({
    queryKey: [path, 'approvals', 'history', status],
    queryFn: ({ pageParam }) => api.approvals.list({ status, limit: AT_ONCE, cursor: pageParam }, at).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    placeholderData: (before) => before,
    refetchInterval: isPaused ? false : every,
  });
  const rows = found.data?.pages.flatMap(({ data }) => data.filter((row) => row.status !== 'open')) ?? [];
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const isShort = hasNextPage && !isFetchingNextPage && rows.length < LEAST;
  useEffect(() => {
    if (isShort) void fetchNextPage();
  }, [isShort, fetchNextPage]);
  const open = search['open'];
  return (
    <Section
      title="History"
      end={
        <Select
          look="button"
          size="small"
          label="Status"
          value={status ?? ''}
          onChange={(next) => change({ status: next })}
          options={[
            { value: '', label: 'All decisions' },
            ...STATUSES.map((each) => ({ value: each, label: APPROVAL_STATES[each].word })),
          ]}
        />
      }
    >
      {found.data === undefined ? (
        <NotRead of={found}>
          <SkeletonRows rows={4} />
        </NotRead>
      ) : (
        <Table<Approval>
          label="History"
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) => change({ open: id })}
          empty={status === undefined ? 'No decisions yet' : 'No decisions match'}
          columns={[
            {
              head: 'Status',
              width: '116px',
              cell: ({ status: own }) => <Status tone={APPROVAL_STATES[own].tone}>{APPROVAL_STATES[own].word}</Status>,
            },
            {
              head: 'Request',
              cell: (row) => (
                <button
                  type="button"
                  className="max-w-full truncate text-left hover:underline"
                  onClick={() => change({ open: row.id })}
                >
                  {row.title}
                </button>
              ),
            },
            {
              head: 'Workflow',
              width: '17%',
              isWide: true,
              cell: (row) => <Name kind="workflow" id={row.workflowId} />,
            },
            { head: 'Comment', width: '20%', isWide: true, cell: ({ comment }) => comment ?? <None /> },
            {
              head: 'Decided by',
              width: '15%',
              isWide: true,
              cell: ({ decidedBy }) => (decidedBy === undefined ? <None /> : <Doer id={decidedBy} />),
            },
            {
              head: 'Decided',
              width: '104px',
              isNumber: true,
              cell: ({ decidedAt }) => (decidedAt === undefined ? <None /> : <Ago at={decidedAt} />),
            },
          ]}
        />
      )}
      {hasNextPage && (
        <Button size="small" className="mt-2" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
      {open !== undefined && !isShown(open) && <Decided id={open} onClose={() => change({ open: '' })} />}
    </Section>
  );
}

const None = () => <span className="text-text-3">—</span>;

/** A decision with the response given. */
function Decided({ id, onClose }: { id: string; onClose: () => void }) {
  const { at, path } = useHere();
  const found = useQuery({ queryKey: [path, 'approval', id], queryFn: () => api.approvals.get(id, at).withAnswer() });
  const row = found.data?.data;
  const data = found.data && memberText(found.data.text, 'data');
  return (
    <Drawer title="Approval" onClose={onClose}>
      {row === undefined ? (
        <NotRead of={found} />
      ) : (
        <div className="flex flex-col gap-5">
          <div>
            <h2 className="flex flex-wrap items-center gap-2 text-15 font-bold [overflow-wrap:anywhere]">
              {row.title}
              <StatusBadge tone={APPROVAL_STATES[row.status].tone}>{APPROVAL_STATES[row.status].word}</StatusBadge>
            </h2>
            {row.message !== undefined && <p className="mt-1 whitespace-pre-wrap text-text-2">{row.message}</p>}
          </div>
          <div>
            <Button
              render={
                <HereLink to={`/runs/${row.runId}`} search={{ step: row.stepId }}>
                  View run
                </HereLink>
              }
            >
              View run
            </Button>
          </div>
          {data !== undefined && data !== 'null' && <CodeView label="Answers" text={data} />}
          <Facts
            facts={[
              row.comment !== undefined && ['Comment', row.comment],
              row.decidedBy !== undefined && ['Decided by', <Doer key="by" id={row.decidedBy} />],
              row.decidedAt !== undefined && ['Decided', <Ago key="at" at={row.decidedAt} />],
              ['Workflow', <Name key="workflow" kind="workflow" id={row.workflowId} />],
              ['Approvers', row.approvers.length === 0 ? 'Any developer' : row.approvers.join(', ')],
              ['Created', <Ago key="created" at={row.createdAt} />],
              ['Due by', <Ago key="due" at={row.expiresAt} />],
              ['Approval ID', <CopyId key="id" id={row.id} isNamed />],
            ]}
          />
        </div>
      )}
    </Drawer>
  );
}
