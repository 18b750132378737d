import { NotRead } from '../../parts/failure-note.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { stateOf } from './any-replay.ts';
import { ReplayActions } from './replay-actions.tsx';
import { ReplayDetails, ReplayProgress } from './replay-details.tsx';
import { ReplayTitle } from './replay-title.tsx';
import { useReplay } from './use-replay.ts';

/** The panel of a replay: its progress and its actions. */
export function ReplayPanel({ id }: { id: string }) {
  const found = useReplay(id);
  if (found.data === undefined) return <NotRead of={found} />;
  const replay = found.data;
  const { tone, word } = stateOf(replay);
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 gap-y-1 text-15 font-bold tracking-tight">
        <ReplayTitle of={replay} arrow={14} />
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </h2>
      <ReplayProgress of={replay} />
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        <ReplayActions of={replay} />
      </div>
      <ReplayDetails of={replay} />
    </div>
  );
}
