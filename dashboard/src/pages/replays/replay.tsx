import { CircleCheck, Clock, Gauge, User } from 'lucide-react';
import { usePathId } from '../../lib/path-id.ts';
import { Doer } from '../../parts/doer.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useKnownNames } from '../../parts/names.tsx';
import { Page } from '../../shell/page.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Columns, HeadFact, PageHead } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { stateOf, whatText } from './any-replay.ts';
import { ReplayActions } from './replay-actions.tsx';
import { ReplayFilter, ReplayProgress } from './replay-details.tsx';
import { ReplayTitle } from './replay-title.tsx';
import { useReplay } from './use-replay.ts';

/** One replay of any kind: its progress, its outcome, and what it covers. */
export function ReplayPage() {
  const id = usePathId();
  const found = useReplay(id);
  const nameOf = useKnownNames();
  const replay = found.data;
  const { tone, word } = replay === undefined ? { tone: 'pending' as const, word: '' } : stateOf(replay);
  const to = replay?.subscriptionId;
  return (
    <Page
      title={
        replay === undefined
          ? 'Replay'
          : `${whatText(replay)}${to === undefined ? '' : ` → ${nameOf({ kind: 'subscription', id: to })}`}`
      }
      crumbs={[['Replays', '/replays']]}
      crumb={<CopyId id={id} isNamed className="text-text" />}
      hasHead
    >
      {replay === undefined ? (
        <NotRead of={found} />
      ) : (
        <>
          <PageHead
            title={<ReplayTitle of={replay} arrow={18} />}
            badge={<StatusBadge tone={tone}>{word}</StatusBadge>}
            facts={
              <>
                <HeadFact icon={User}>
                  <Doer id={replay.requestedBy} />
                </HeadFact>
                <HeadFact icon={Clock}>
                  started <Ago at={replay.createdAt} />
                </HeadFact>
                {replay.finishedAt !== undefined && (
                  <HeadFact icon={CircleCheck}>
                    {stateOf(replay).tone === 'running' ? 'all queued' : 'finished'} <Ago at={replay.finishedAt} />
                  </HeadFact>
                )}
                {replay.pace.most !== undefined && (
                  <HeadFact icon={Gauge}>at most {replay.pace.most} per second</HeadFact>
                )}
              </>
            }
            actions={<ReplayActions of={replay} />}
          />
          <div className="mt-5">
            <Columns side={<ReplayFilter of={replay} />}>
              <ReplayProgress of={replay} />
            </Columns>
          </div>
        </>
      )}
    </Page>
  );
}
