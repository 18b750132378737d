import { useState } from 'react';
import type { AskBulkReplay } from '../api/client.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { ReplayAll } from './replay-all.tsx';

/** Filters of a list of runs that a replay of dead letters has as well. */
const SAID: ReadonlySet<string> = new Set(['status', 'workflow', 'since', 'until', 'open', 'tab']);

/** Replays the dead letters of all failed runs of the filter, once they are counted. No button where the filter says no such thing. */
export function RetryFailed({ workflowId, isMain = false }: { workflowId: string | undefined; isMain?: boolean }) {
  const t = useTexts();
  const [search] = useAddress();
  // Fixed once it is asked: what is counted is what is replayed.
  const [asked, setAsked] = useState<AskBulkReplay>();
  const { status, since, until } = search;
  const isOfFailed = status === undefined ? !isMain : status.split(',').includes('failed');
  if (!isOfFailed || Object.keys(search).some((name) => !SAID.has(name))) return null;
  const filterNow = (): AskBulkReplay => ({
    kind: 'run',
    workflowId: workflowId ?? search['workflow'],
    since: sinceOf(since),
    until: sinceOf(until),
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setAsked(filterNow())}>
        {isMain ? t.runs.retryAllFailed : t.runs.allFailed}
      </button>
      {asked !== undefined && (
        <ReplayAll title={t.runs.retryAllFailed} filter={asked} onClose={() => setAsked(undefined)}>
          <p className="muted">
            {t.runs.retryAllFailedWhy} {(since !== undefined || until !== undefined) && t.runs.retryAllFailedWhen}
          </p>
        </ReplayAll>
      )}
    </>
  );
}
