import { useState } from 'react';
import { api, type AskBulkRetry } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { CountFirst } from '../parts/count-first.tsx';
import { useGo } from '../parts/link.tsx';

/** A button that retries every delivery that a filter matches, once it has counted them. */
export function RetryAll({ filterNow, label }: { filterNow: () => AskBulkRetry; label?: string }) {
  const t = useTexts();
  // Fixed once it is asked: what is counted is what is retried.
  const [asked, setAsked] = useState<AskBulkRetry>();
  return (
    <>
      <button type="button" className="button" onClick={() => setAsked(filterNow())}>
        {label ?? t.deliveries.retryAll}
      </button>
      {asked !== undefined && <RetryDialog filter={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** Counts first which deliveries would be retried; then asks for it, and leads to where its progress is seen. */
function RetryDialog({
  filter,
  title,
  why,
  onClose,
}: {
  filter: AskBulkRetry;
  title?: string;
  /** Says which these are. Default: what a retry of all that match takes. */
  why?: string;
  onClose: () => void;
}) {
  const t = useTexts();
  const { at, path } = useHere();
  const go = useGo();
  const refresh = useRefresh();
  const states = [filter.status].flat();
  const which = !states.includes('delivered')
    ? 'retryWhich'
    : states.length > 1
      ? 'retryWithDelivered'
      : 'retryDelivered';
  return (
    <CountFirst
      title={title ?? t.deliveries.retryAll}
      countKey={[path, 'retry-preview', filter]}
      count={async () => {
        const found = await api.deliveries.retryAll({ ...filter, dryRun: true }, at);
        const oldest = 'oldest' in found ? found.oldest : [];
        return {
          matched: found.matched,
          isMore: !found.isComplete,
          oldest: oldest.map(({ createdAt, ...row }) => ({ ...row, at: createdAt })),
        };
      }}
      would={({ matched, isMore = false }) => t.deliveries.wouldRetry(matched, isMore)}
      go={t.deliveries.retryThem}
      told={t.deliveries.retryAsked}
      start={async (pace) => {
        const made = await api.deliveries.retryAll({ ...filter, ...pace }, at);
        await refresh();
        go('/replays', 'id' in made ? { tab: 'deliveries', open: made.id } : { tab: 'deliveries' });
      }}
      onClose={onClose}
    >
      <p className="muted">{why ?? t.deliveries[which]}</p>
    </CountFirst>
  );
}
