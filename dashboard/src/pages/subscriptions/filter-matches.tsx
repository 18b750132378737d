import { CircleCheck, CircleSlash, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { valuesNamed } from '../../lib/filter-names.ts';
import { HereLink } from '../../parts/link.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Box } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { SampleTest, TestedMessage } from './use-filter-test.ts';

const SHOWN = 4;
type Outcome = TestedMessage['outcome'];

/** Appearance and label of each test outcome. */
export const OUTCOME_LOOKS: Readonly<Record<Outcome, { icon: LucideIcon; className: string; word: string }>> = {
  match: { icon: CircleCheck, className: 'text-delivered', word: 'Match' },
  none: { icon: CircleSlash, className: 'text-text-3', word: 'No match' },
  type: { icon: CircleSlash, className: 'text-text-3', word: 'Other event type' },
  error: { icon: TriangleAlert, className: 'text-retrying', word: 'Error' },
};

const countOf = (messages: readonly TestedMessage[], outcome: Outcome): number =>
  messages.filter((each) => each.outcome === outcome).length;

/** Returns `38 of the last 50 messages match`. */
export function MatchCount({ of: messages }: { of: readonly TestedMessage[] }) {
  return (
    <>
      <strong className="font-medium">
        {countOf(messages, 'match')} of the last {messages.length}
      </strong>{' '}
      messages match
    </>
  );
}

/** The newest messages of the channel, and which of them the subscription would receive as it is edited now. */
export function FilterMatches({ of: test, filter }: { of: SampleTest; filter: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { messages, error, payloads } = test;
  if (messages === undefined) return error === undefined ? <Skeleton label="Testing" className="h-9.5" /> : null;
  if (messages.length === 0) return null;
  const rest = (
    [
      ['error', 'error', 'errors'],
      ['none', 'no match', 'no match'],
      ['type', 'other event type', 'other event types'],
    ] as const
  ).flatMap(([outcome, one, many]) => {
    const count = countOf(messages, outcome);
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const shown = isWhole ? messages : messages.slice(0, SHOWN);
  return (
    <Box label="Recent messages">
      <p aria-live="polite" className="flex min-h-9.5 flex-wrap items-center gap-x-3 border-b py-1.5 border-line px-3">
        <span className="grow">
          <MatchCount of={messages} />
        </span>
        <span className="text-12 text-text-3">{rest.join(', ')}</span>
      </p>
      <ul className={isWhole ? 'max-h-80 overflow-y-auto' : undefined}>
        {shown.map((message) => {
          const { id, eventType, outcome } = message;
          const { icon, className, word } = OUTCOME_LOOKS[outcome];
          const payload = payloads.get(id);
          return (
            <li key={id} className="flex min-h-8 items-center gap-2.5 border-line px-3 not-last:border-b">
              <Icon of={icon} isSmall label={word} className={className} />
              <span className="mono min-w-24 truncate">{eventType}</span>
              <HereLink to={`/messages/${id}`} className="mono shrink-0 whitespace-nowrap text-text-3 hover:text-text">
                {shortId(id)}
              </HereLink>
              <span className="min-w-0 grow truncate text-right text-text-2">
                {outcome === 'type'
                  ? 'other event type'
                  : (message.error?.replace(/^line \d+:\d+: /, '') ??
                    (payload === undefined ? '' : valuesNamed(filter, payload)))}
              </span>
            </li>
          );
        })}
      </ul>
      {messages.length > SHOWN && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="h-8 w-full border-t border-line px-3 text-left text-12 text-accent hover:underline"
        >
          {isWhole ? 'Show fewer' : `Show all ${messages.length}`}
        </button>
      )}
    </Box>
  );
}
