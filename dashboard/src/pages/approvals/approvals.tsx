import { useInfiniteQuery } from '@tanstack/react-query';
import { Stamp } from 'lucide-react';
import { useRef, useState } from 'react';
import { heldRows } from '../../lib/held-rows.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useChanges } from '../../parts/changes.tsx';
import { NewRows } from '../../parts/data-list/list-count.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { usePaused } from '../../parts/pause.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Decision } from './decision.tsx';
import { History, useHistoryStatus } from './history.tsx';
import { type OpenDecision, readOpen } from './open-decisions.tsx';
import { TriggerMessage } from './trigger-message.tsx';

/** How many are shown at first, so that the history below is not far away. */
const FIRST = 10;
const EVERY_MS = 3_000;
/** Polling interval; changes are reported by the stream. */
const TOLD_EVERY_MS = 30_000;

/** Decisions that runs wait for, which can be made right here, and those already made. */
export function ApprovalsPage() {
  const { path } = useHere();
  return <Approvals key={path} />;
}

function Approvals() {
  const { at, path } = useHere();
  const [search] = useAddress();
  const isPaused = usePaused();
  const status = useHistoryStatus();
  const again = useRef(() => undefined as unknown);
  const isTold = useChanges(['approval', 'run'], () => void (!isPaused && again.current()));
  const open = useInfiniteQuery({
    queryKey: [path, 'approvals', 'open'],
    queryFn: ({ pageParam }) => readOpen({ cursor: pageParam }, at),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: isPaused ? false : isTold ? TOLD_EVERY_MS : EVERY_MS,
  });
  again.current = open.refetch;
  const decisions = open.data?.pages.flatMap((page) => page.decisions) ?? [];
  const { rows, fresh, gone, showNew } = useHeld(decisions, open.hasNextPage);
  const [isWhole, setIsWhole] = useState(false);
  const named = rows.findIndex(({ row }) => row.id === search['open']);
  const shown = isWhole || named >= FIRST ? rows : rows.slice(0, FIRST);
  return (
    <Page
      title="Approvals"
      count={
        open.data !== undefined && (
          <>
            <span className="whitespace-nowrap text-text-2 tabular-nums">
              {decisions.length}
              {open.hasNextPage && '+'} pending
            </span>
            <NewRows fresh={fresh} onShow={showNew} />
          </>
        )
      }
      actions={<ExportButton of={{ name: 'approvals', path: '/v1/approvals', query: () => ({ status }), at }} />}
    >
      {open.data === undefined ? (
        <NotRead of={open} />
      ) : rows.length === 0 ? (
        <Empty
          icon={Stamp}
          title="No pending approvals"
          actions={<Button render={<HereLink to="/workflows">View workflows</HereLink>}>View workflows</Button>}
        >
          Runs that reach an approval step wait here for a decision.
        </Empty>
      ) : (
        <section aria-label="Pending approvals">
          <div className="flex flex-col gap-3">
            {shown.map(({ row, form }) => (
              <Decision
                key={row.id}
                of={row}
                form={form}
                hasRun
                isGone={gone.has(row.id)}
                isNamed={row.id === search['open']}
              >
                <TriggerMessage runId={row.runId} />
              </Decision>
            ))}
          </div>
          {shown.length < rows.length && (
            <Button className="mt-4" onClick={() => setIsWhole(true)}>
              Show all {rows.length}
              {open.hasNextPage && '+'}
            </Button>
          )}
          {shown.length === rows.length && open.hasNextPage && (
            <Button className="mt-4" isBusy={open.isFetchingNextPage} onClick={() => void open.fetchNextPage()}>
              Load more
            </Button>
          )}
        </section>
      )}
      <div className="mt-9">
        <History isShown={(id) => rows.some(({ row }) => row.id === id)} every={isTold ? TOLD_EVERY_MS : EVERY_MS} />
      </div>
    </Page>
  );
}

/** Keeps decisions in place: new ones wait for `showNew`, and those already made stay until then. */
function useHeld(decisions: readonly OpenDecision[], hasMore: boolean) {
  const [newest] = decisions;
  const [top, setTop] = useState<string>();
  const shown = useRef<readonly (OpenDecision & { id: string })[]>([]);
  const show = (): void => {
    shown.current = [];
    setTop(newest?.row.id);
  };
  // An empty page shows the first decisions at once.
  if (top === undefined && newest !== undefined) show();
  const latest = decisions.map((each) => ({ ...each, id: each.row.id }));
  const held = heldRows(shown.current, latest, { top: top ?? newest?.row.id ?? '', hasMore });
  shown.current = held.rows;
  return { ...held, showNew: show };
}
