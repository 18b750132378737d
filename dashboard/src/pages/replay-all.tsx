import type { ReactNode } from 'react';
import { api, type AskBulkReplay } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { CountFirst } from '../parts/count-first.tsx';
import { useGo } from '../parts/link.tsx';

/** Counts first which dead letters would be replayed; then asks for it, and leads to where its progress is seen. */
export function ReplayAll({
  title,
  filter,
  onClose,
  children,
}: {
  title: string;
  filter: AskBulkReplay;
  onClose: () => void;
  /** Says which these are, where the title does not. */
  children?: ReactNode;
}) {
  const t = useTexts();
  const { at, path } = useHere();
  const go = useGo();
  const refresh = useRefresh();
  return (
    <CountFirst
      title={title}
      countKey={[path, 'replay-preview', filter]}
      count={async () => {
        const found = await api.deadLetters.replayAll({ ...filter, dryRun: true }, at);
        const oldest = 'oldest' in found ? found.oldest : [];
        return { matched: found.matched, oldest: oldest.map(({ failedAt, ...row }) => ({ ...row, at: failedAt })) };
      }}
      would={({ matched }) => t.deadLetters.wouldReplay(matched)}
      go={t.deadLetters.replayThem}
      told={t.deadLetters.replayAsked}
      start={async (pace) => {
        const made = await api.deadLetters.replayAll({ ...filter, ...pace }, at);
        await refresh();
        go('/replays', 'id' in made ? { open: made.id } : {});
      }}
      onClose={onClose}
    >
      {children}
    </CountFirst>
  );
}
