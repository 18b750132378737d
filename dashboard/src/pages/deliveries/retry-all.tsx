import { api, type CreateBulkRetry } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { counted as countedText } from '../../lib/words.ts';
import { CountDialog, matchedText } from '../../parts/count-dialog.tsx';
import { useGo } from '../../parts/link.tsx';

/**
 * Counts the deliveries that a retry would include, then starts it. The filter is fixed, so that exactly what is
 * counted is retried.
 */
export function RetryAllDialog({
  filter,
  children,
  onClose,
}: {
  filter: CreateBulkRetry;
  /** Describes them. If absent, the text for a retry of all matching deliveries. */
  children?: string;
  onClose: () => void;
}) {
  const { at, path } = useHere();
  const go = useGo();
  const refresh = useRefresh();
  const states = [filter.status].flat();
  const why = !states.includes('delivered')
    ? 'Delivered, pending and discarded deliveries are skipped.'
    : states.length > 1
      ? 'Those that were already delivered are among them. Endpoints will receive these again with the same ID.'
      : 'These were already delivered. Endpoints will receive them again with the same ID.';
  return (
    <CountDialog
      title={(found) =>
        found === undefined
          ? 'Retry all matching deliveries?'
          : `Retry ${found.isMore === true ? `${matchedText(found)} deliveries` : countedText(found.matched, 'delivery', 'deliveries')}?`
      }
      countKey={[path, 'retry-preview', filter]}
      count={async () => {
        const found = await api.deliveries.retryAll({ ...filter, dryRun: true }, at);
        const oldest = 'oldest' in found ? found.oldest : [];
        return {
          matched: found.matched,
          isMore: !found.isExact,
          oldest: oldest.map(({ createdAt, ...row }) => ({ ...row, at: createdAt })),
        };
      }}
      go={(found) => (found === undefined ? 'Retry' : `Retry ${matchedText(found)}`)}
      told="Retry started"
      start={async (pace) => {
        const made = await api.deliveries.retryAll({ ...filter, ...pace }, at);
        await refresh();
        go('id' in made ? `/replays/${made.id}` : '/replays');
      }}
      targets={filter}
      onClose={onClose}
    >
      {children ?? why}
    </CountDialog>
  );
}
