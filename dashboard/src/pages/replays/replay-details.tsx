import { Doer } from '../../parts/doer.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Note } from '../../ui/callout.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { type AnyReplay, isOver, notQueuedText, queuedText } from './any-replay.ts';
import { filterFacts } from './filter-words.tsx';
import { ReplayBar, ReplayOutcomes, usePaceText } from './replay-progress.tsx';

/** The progress of a replay as a bar and in numbers. */
export function ReplayProgress({ of }: { of: AnyReplay }) {
  const pace = usePaceText(of);
  const notQueued = notQueuedText(of);
  return (
    <Section title="Progress" end={<span className="text-12 text-text-2 tabular-nums">{queuedText(of)}</span>}>
      <div className="flex flex-col gap-2.5">
        <ReplayBar of={of} />
        <ReplayOutcomes of={of} />
        {notQueued !== undefined && <p className="text-text-2">{notQueued}</p>}
        {pace !== undefined && <p className="text-text-2 tabular-nums">{pace}</p>}
        {of.skipped > 0 && (
          <Note kind="warning">
            {of.skipped.toLocaleString('en-US')} couldn't be sent again, because{' '}
            {of.kind === 'deliveries'
              ? 'their message was erased or their subscription deleted.'
              : 'their subscription or workflow was deleted.'}
          </Note>
        )}
      </div>
    </Section>
  );
}

/** What happened at the end of a replay: its deliveries may continue. */
const queuedName = ({ status }: AnyReplay): string => (status === 'completed' ? 'Queued' : 'Finished');

/** What it covers. */
export const ReplayFilter = ({ of }: { of: AnyReplay }) => (
  <Section title="Filter">
    <Facts facts={filterFacts(of)} />
  </Section>
);

/** What it covers, who started it and when. */
export function ReplayDetails({ of }: { of: AnyReplay }) {
  return (
    <>
      <ReplayFilter of={of} />
      <Section title="Details">
        <Facts
          facts={[
            ['Started by', <Doer key="by" id={of.requestedBy} />],
            ['Started', <Ago key="created" at={of.createdAt} />],
            isOver(of) && of.finishedAt !== undefined && [queuedName(of), <Ago key="finished" at={of.finishedAt} />],
            ['Rate limit', of.pace.most === undefined ? 'No limit' : `${of.pace.most} per second`],
            ['Replay ID', <CopyId key="id" id={of.id} isNamed />],
          ]}
        />
      </Section>
    </>
  );
}
