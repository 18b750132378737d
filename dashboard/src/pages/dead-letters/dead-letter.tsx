import { CircleAlert, Clock, Hash, ListChecks, Mail } from 'lucide-react';
import { useState } from 'react';
import type { DeadLetter } from '../../api/client.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePathId } from '../../lib/path-id.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name, useKnownNames } from '../../parts/names.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId, namedId } from '../../ui/copy.tsx';
import { Columns, HeadFact, PageHead, Section } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { AttemptCode, AttemptScale, AttemptTimeline } from '../deliveries/attempt-timeline.tsx';
import { RequestResponse } from '../deliveries/request-response.tsx';
import { useDelivery } from '../deliveries/use-delivery.ts';
import { LetterActions, runSearchOf } from './letter-actions.tsx';
import { LetterOutcome } from './letter-outcome.tsx';
import { LetterTitle } from './letter-title.tsx';
import { causeText, LETTER_STATES } from './letter-words.tsx';
import { useDeadLetter } from './use-dead-letter.ts';

const LINK = 'text-accent hover:underline';

/** One dead letter: why it failed permanently, its actions, and the requests and responses of its attempts. */
export function DeadLetterPage() {
  const id = usePathId();
  const { found, ...acts } = useDeadLetter(id);
  const nameOf = useKnownNames();
  const letter = found.data;
  const title = letter === undefined ? 'Dead letter' : titleOf(letter, nameOf);
  return (
    <Page
      title={title}
      crumbs={[['Dead letters', '/dead-letters']]}
      crumb={<CopyId id={id} isNamed className="text-text" />}
      actions={letter !== undefined && <InList of={letter} />}
      hasHead
    >
      {letter === undefined ? (
        <NotRead of={found} />
      ) : (
        <>
          <PageHead
            title={<LetterTitle of={letter} arrow={18} isLink />}
            badge={
              <StatusBadge tone={LETTER_STATES[letter.status].tone}>{LETTER_STATES[letter.status].word}</StatusBadge>
            }
            facts={
              <>
                <HeadFact icon={CircleAlert}>{causeText(letter.reason)}</HeadFact>
                <HeadFact icon={Clock}>
                  failed <Ago at={letter.failedAt} />
                </HeadFact>
                {letter.channelId !== undefined && (
                  <HeadFact icon={Hash}>
                    <HereLink to={`/channels/${letter.channelId}`} className={LINK}>
                      <Name kind="channel" id={letter.channelId} />
                    </HereLink>
                  </HeadFact>
                )}
                {letter.messageId !== undefined && (
                  <HeadFact icon={Mail}>
                    <HereLink to={`/messages/${letter.messageId}`} className={`mono ${LINK}`}>
                      {namedId(letter.messageId)}
                    </HereLink>
                  </HeadFact>
                )}
                {letter.runId !== undefined && (
                  <HeadFact icon={ListChecks}>
                    <HereLink to={`/runs/${letter.runId}`} search={runSearchOf(letter)} className={`mono ${LINK}`}>
                      {namedId(letter.runId)}
                    </HereLink>
                  </HeadFact>
                )}
              </>
            }
            actions={<LetterActions of={letter} acts={acts} />}
          />
          <div className="mt-4 mb-7">
            <LetterOutcome of={letter} />
          </div>
          {letter.deliveryId !== undefined && <Attempts deliveryId={letter.deliveryId} />}
        </>
      )}
    </Page>
  );
}

const titleOf = (letter: DeadLetter, nameOf: ReturnType<typeof useKnownNames>): string => {
  const { subscriptionId, workflowId, eventType, kind } = letter;
  const to =
    subscriptionId !== undefined
      ? nameOf({ kind: 'subscription', id: subscriptionId })
      : workflowId === undefined
        ? ''
        : nameOf({ kind: 'workflow', id: workflowId });
  return `${eventType ?? (kind === 'run' ? 'Run' : 'Message')} → ${to}`;
};

/** The attempts of the delivery, and the request and response of the selected one. */
function Attempts({ deliveryId }: { deliveryId: string }) {
  const { delivery, attempts, all } = useDelivery(deliveryId);
  const [chosenId, setChosenId] = useState<string>();
  const chosen = all.find((each) => each.id === chosenId) ?? all[0];
  const choose = (by: 1 | -1): void => {
    const next = all[all.findIndex((each) => each.id === chosen?.id) + by];
    if (next !== undefined) setChosenId(next.id);
  };
  useKeys({ ']': () => choose(1), '[': () => choose(-1) });
  if (delivery.data === undefined) return <NotRead of={delivery} />;
  return (
    <Columns
      isSideFirst
      side={
        <Section title="Attempts">
          {all.length > 1 && <AttemptScale attempts={all} />}
          {all.length === 0 && attempts.isSuccess && <p className="text-text-2">Not attempted yet</p>}
          <AttemptTimeline attempts={all} nextAt={undefined} chosen={chosen?.id} onChoose={setChosenId} />
          {attempts.hasNextPage && (
            <Button
              size="small"
              className="mt-2"
              isBusy={attempts.isFetchingNextPage}
              onClick={() => void attempts.fetchNextPage()}
            >
              Load more
            </Button>
          )}
        </Section>
      }
    >
      {chosen !== undefined && (
        <Section
          title={
            <span className="flex items-center gap-2">
              Attempt {chosen.number}
              <span className="font-normal text-text-2">of {delivery.data.attempts}</span>
              <AttemptCode of={chosen} />
            </span>
          }
        >
          <RequestResponse key={chosen.id} attempt={chosen} messageId={delivery.data.messageId} />
        </Section>
      )}
    </Columns>
  );
}

/** Links to the previous and next dead letter of its source. */
function InList({ of: { id, subscriptionId, workflowId, status } }: { of: DeadLetter }) {
  const go = useGo();
  return (
    <Button
      look="quiet"
      className="max-md:hidden"
      onClick={() =>
        go('/dead-letters', {
          view: 'list',
          ...(subscriptionId !== undefined && { subscription: subscriptionId }),
          ...(workflowId !== undefined && { workflow: workflowId }),
          ...(status !== 'open' && { status }),
          open: id,
        })
      }
    >
      View in list
    </Button>
  );
}
