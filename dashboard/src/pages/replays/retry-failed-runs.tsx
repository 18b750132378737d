import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { CreateBulkReplay } from '../../api/client.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { Button } from '../../ui/button.tsx';
import { ReplayAllDialog } from './replay-all.tsx';

/** Filters of a list of runs that a replay of dead letters has as well. */
const SAID: ReadonlySet<string> = new Set(['status', 'workflow', 'since', 'until', 'open', 'tab']);

/**
 * A button that retries all failed runs of the filter in the address, once they are counted. None where the filter says more than a replay
 * can. `isMain`: it stands in the head of a page, and only where the filter asks for failed runs.
 */
export function RetryFailedRuns({
  workflowId,
  isMain = false,
  size = 'normal',
}: {
  workflowId: string | undefined;
  isMain?: boolean;
  size?: 'normal' | 'small';
}) {
  const [search] = useAddress();
  // Fixed once it is asked: what is counted is what is replayed.
  const [asked, setAsked] = useState<CreateBulkReplay>();
  const { status, since, until } = search;
  const isOfFailed = status === undefined ? !isMain : status.split(',').includes('failed');
  if (!isOfFailed || Object.keys(search).some((name) => !SAID.has(name))) return null;
  const filterNow = (): CreateBulkReplay => ({
    kind: 'run',
    workflowId: workflowId ?? search['workflow'],
    since: sinceOf(since),
    until: sinceOf(until),
  });
  return (
    <>
      <Button icon={RotateCw} size={size} onClick={() => setAsked(filterNow())}>
        Retry all failed…
      </Button>
      {asked !== undefined && (
        <ReplayAllDialog filter={asked} things={['failed run', 'failed runs']} onClose={() => setAsked(undefined)}>
          Each run starts again from the step that failed, and keeps earlier results.
          {(since !== undefined || until !== undefined) && ' The time range counts when a run failed.'}
        </ReplayAllDialog>
      )}
    </>
  );
}
