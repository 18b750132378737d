import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { CreateBulkReplay } from '../../api/client.ts';
import { sinceOf, useAddress } from '../../lib/search.ts';
import { Button } from '../../ui/button.tsx';
import { ReplayAllDialog } from './replay-all.tsx';

/** Filters that a list of runs and a replay of dead letters have in common. */
const SAID: ReadonlySet<string> = new Set(['status', 'workflow', 'since', 'until', 'open', 'tab']);

/**
 * A button that counts and then retries all failed runs that match the filter in the address. Renders nothing if a
 * replay cannot express the filter. `isMain`: it is in the heading of a page, and appears only if the filter asks for
 * failed runs.
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
  // Fixed when the dialog opens, so that exactly what is counted is replayed.
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
