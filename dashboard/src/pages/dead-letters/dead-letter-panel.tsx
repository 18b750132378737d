import { useState } from 'react';
import { useKeys } from '../../lib/keys.ts';
import { policyText } from '../../lib/policy-text.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { AttemptTimeline } from '../deliveries/attempt-timeline.tsx';
import { RequestBox, ResponseBox } from '../deliveries/request-response.tsx';
import { useDelivery } from '../deliveries/use-delivery.ts';
import { LetterActions, runSearchOf } from './letter-actions.tsx';
import { LetterOutcome } from './letter-outcome.tsx';
import { LetterTitle } from './letter-title.tsx';
import { causeText, LETTER_STATES } from './letter-words.tsx';
import { useDeadLetter } from './use-dead-letter.ts';

const LINK = 'mono text-accent hover:underline';

/** The panel of a dead letter: why it failed permanently, its actions, and the responses to its attempts. */
export function DeadLetterPanel({ id }: { id: string }) {
  const { found, ...acts } = useDeadLetter(id);
  if (found.data === undefined) return <NotRead of={found} />;
  const letter = found.data;
  const { tone, word } = LETTER_STATES[letter.status];
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 text-15 font-bold tracking-tight">
        <StatusIcon tone={tone} label={word} isSmall={false} />
        <HereLink
          to={`/dead-letters/${letter.id}`}
          className="inline-flex flex-wrap items-center gap-x-1.75 hover:underline"
        >
          <LetterTitle of={letter} arrow={14} />
        </HereLink>
      </h2>
      <LetterOutcome of={letter} />
      <div className="flex flex-wrap items-center gap-2">
        <LetterActions of={letter} acts={acts} />
      </div>
      {letter.deliveryId !== undefined && <Attempts deliveryId={letter.deliveryId} />}
      <Section title="Details">
        <Facts
          facts={[
            ['Cause', causeText(letter.reason)],
            letter.channelId !== undefined && [
              'Channel',
              <HereLink key="channel" to={`/channels/${letter.channelId}`} className="text-accent hover:underline">
                <Name kind="channel" id={letter.channelId} />
              </HereLink>,
            ],
            letter.messageId !== undefined && [
              'Message',
              <HereLink key="message" to={`/messages/${letter.messageId}`} className={LINK}>
                {namedId(letter.messageId)}
              </HereLink>,
            ],
            letter.deliveryId !== undefined && [
              'Delivery',
              <HereLink key="delivery" to={`/deliveries/${letter.deliveryId}`} className={LINK}>
                {namedId(letter.deliveryId)}
              </HereLink>,
            ],
            letter.runId !== undefined && [
              'Run',
              <HereLink key="run" to={`/runs/${letter.runId}`} search={runSearchOf(letter)} className={LINK}>
                {namedId(letter.runId)}
              </HereLink>,
            ],
            ['Failed at', <Ago key="failed" at={letter.failedAt} />],
            ['Dead letter ID', <CopyId key="id" id={letter.id} isNamed />],
          ]}
        />
      </Section>
    </div>
  );
}

/** The attempts of the delivery, and the response to the selected one. */
function Attempts({ deliveryId }: { deliveryId: string }) {
  const { all, subscription } = useDelivery(deliveryId);
  const [chosenId, setChosenId] = useState<string>();
  const [view, setView] = useState('response');
  const chosen = all.find((each) => each.id === chosenId) ?? all[0];
  const choose = (by: 1 | -1): void => {
    const next = all[all.findIndex((each) => each.id === chosen?.id) + by];
    if (next !== undefined) setChosenId(next.id);
  };
  useKeys({ ']': () => choose(1), '[': () => choose(-1) });
  if (chosen === undefined) return null;
  return (
    <>
      <Section
        title="Attempts"
        {...(subscription !== undefined && {
          end: <span className="text-12 text-text-3">{policyText(subscription.retryPolicy)}</span>,
        })}
      >
        <AttemptTimeline attempts={all} nextAt={undefined} chosen={chosen.id} onChoose={setChosenId} />
      </Section>
      <div className="flex flex-col gap-2.5">
        <div className="flex items-center gap-2">
          <h3 className="font-bold">Attempt {chosen.number}</h3>
          <Segmented
            label="Part of the attempt"
            className="ml-auto"
            value={view}
            onChange={setView}
            options={[
              { value: 'response', label: 'Response' },
              { value: 'request', label: 'Request' },
            ]}
          />
        </div>
        {view === 'response' || chosen.request === undefined ? (
          <ResponseBox key={chosen.id} attempt={chosen} />
        ) : (
          <RequestBox key={chosen.id} attempt={chosen} messageId={chosen.request.headers['webhook-id'] ?? ''} />
        )}
      </div>
    </>
  );
}
