import type { ReactNode } from 'react';
import { api, type CreateBulkReplay } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { counted as countedText } from '../../lib/words.ts';
import { CountDialog, matchedText } from '../../parts/count-dialog.tsx';
import { useGo } from '../../parts/link.tsx';

/**
 * Counts which open dead letters a filter matches, then replays them and opens the progress page. The filter is fixed,
 * so that exactly what is counted is replayed. `things`: what they are, if that is more specific than dead letters.
 */
export function ReplayAllDialog({
  filter,
  things = ['dead letter', 'dead letters'],
  children,
  onClose,
}: {
  filter: CreateBulkReplay;
  things?: readonly [one: string, many: string];
  /** Describes them and what will happen. */
  children?: ReactNode;
  onClose: () => void;
}) {
  const { at, path } = useHere();
  const go = useGo();
  const refresh = useRefresh();
  const [one, many] = things;
  return (
    <CountDialog
      title={(found) => `Replay ${found === undefined ? `matching ${many}` : countedText(found.matched, one, many)}?`}
      countKey={[path, 'replay-preview', filter]}
      count={async () => {
        const found = await api.deadLetters.replayAll({ ...filter, dryRun: true }, at);
        const oldest = 'oldest' in found ? found.oldest : [];
        return { matched: found.matched, oldest: oldest.map(({ failedAt, ...row }) => ({ ...row, at: failedAt })) };
      }}
      go={(found) => (found === undefined ? 'Replay' : `Replay ${matchedText(found)}`)}
      told="Replay started"
      start={async (pace) => {
        const made = await api.deadLetters.replayAll({ ...filter, ...pace }, at);
        await refresh();
        go('id' in made ? `/replays/${made.id}` : '/replays');
      }}
      {...(filter.kind !== 'run' && filter.workflowId === undefined && { targets: filter })}
      onClose={onClose}
    >
      {children ??
        'Their messages are sent again with the current settings, and runs start again from the failed step.'}
    </CountDialog>
  );
}
