import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { itemTexts, memberText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';

/** One page of a list, and the maximum for one validation request. */
const MESSAGES = 100;
/**
 * A validation request may have 5 MiB, including schemas. Payloads have at most 256 KiB, so a request of 4 MiB has room
 * for one more.
 */
const MOST_TEXT = 4 * 1024 * 1024;
/** How many messages are listed with their problems. */
const SHOWN = 20;

type Asked = { id: string; eventType: string; text: string };
type Problem = { field: string; reason: string };
export type Validated = {
  /** The schemas that were validated, as members of a request. */
  tried: string;
  count: number;
  invalid: readonly { id: string; eventType: string; errors: readonly Problem[] }[];
};

/** Splits the payloads into parts for one request each. */
function partsOf(messages: readonly Asked[], room: number): Asked[][] {
  const parts: Asked[][] = [[]];
  let size = 0;
  for (const message of messages) {
    if (size + message.text.length > room) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(message);
    size += message.text.length;
  }
  return parts.filter(({ length }) => length > 0);
}

/** Validates the newest messages of a channel with schemas that need not be saved. Publishes nothing. */
export function useValidation(channelId: string) {
  const { at } = useHere();
  const [result, setResult] = useState<Validated>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const ask = async (tried: string): Promise<void> => {
    const page = await api.messages.list(channelId, { limit: MESSAGES }, at).page().withAnswer();
    const texts = itemTexts(memberText(page.text, 'data') ?? '[]');
    const messages = page.data.data.flatMap(({ id, eventType }, position): Asked[] => {
      // An erased message has no payload.
      const payload = memberText(texts[position] ?? '{}', 'payload');
      if (payload === undefined) return [];
      return [{ id, eventType, text: `{"eventType":${JSON.stringify(eventType)},"payload":${payload}}` }];
    });
    const invalid: Validated['invalid'][number][] = [];
    for (const part of partsOf(messages, MOST_TEXT - tried.length)) {
      const body = `{"messages":[${part.map(({ text }) => text).join(',')}],${tried}}`;
      const { results } = await api.messages.validate(channelId, body, at);
      for (const [position, { valid, errors }] of results.entries()) {
        const of = part[position];
        if (!valid && of !== undefined) invalid.push({ id: of.id, eventType: of.eventType, errors });
      }
    }
    setResult({ tried, count: messages.length, invalid });
  };
  return {
    result,
    error,
    isBusy,
    run(tried: string): void {
      setError(undefined);
      setIsBusy(true);
      void ask(tried)
        .catch(setError)
        .finally(() => setIsBusy(false));
    },
  };
}

/**
 * Shows how many of the newest messages are valid, and what is wrong with the others. `tried`: the schemas as they are
 * edited now.
 */
export function ValidateRecent({
  of: { result, error, isBusy },
  tried,
  onRun,
}: {
  of: ReturnType<typeof useValidation>;
  tried: string;
  onRun: () => void;
}) {
  const shown = result?.tried === tried ? result : undefined;
  const valid = shown === undefined ? 0 : shown.count - shown.invalid.length;
  return (
    <Section
      title="Recent messages"
      end={
        <Button size="small" icon={ListChecks} isBusy={isBusy} onClick={onRun}>
          Validate the last {MESSAGES}
        </Button>
      }
    >
      <div aria-live="polite" className="flex flex-col gap-2">
        <FailureNote error={error} />
        {result !== undefined && shown === undefined && <p className="text-text-2">The schemas have changed since</p>}
        {shown !== undefined && (
          <p className="flex items-center gap-1.5">
            {shown.count > 0 && <StatusIcon tone={shown.invalid.length === 0 ? 'delivered' : 'failed'} />}
            {shown.count === 0 ? (
              'No messages to validate'
            ) : (
              <span>
                <strong className="font-medium">
                  {valid} of {shown.count}
                </strong>{' '}
                {valid === 1 ? 'is' : 'are'} valid
              </span>
            )}
          </p>
        )}
        {shown !== undefined && shown.invalid.length > 0 && (
          <ul aria-label="Invalid messages" className="overflow-hidden rounded-8 border border-line-strong">
            {shown.invalid.slice(0, SHOWN).map(({ id, eventType, errors }) => (
              <li key={id} className="flex flex-col gap-0.5 border-line px-3 py-2 not-last:border-b">
                <span className="flex items-baseline gap-2">
                  <HereLink to={`/messages/${id}`} className="mono min-w-0 truncate hover:underline">
                    {eventType}
                  </HereLink>
                  <span className="mono ml-auto text-12 text-text-3">{shortId(id)}</span>
                </span>
                {errors.map(({ field, reason }) => (
                  <span key={`${field} ${reason}`} className="text-12 text-text-2 [overflow-wrap:anywhere]">
                    <code>{field}</code> {reason}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        )}
        {shown !== undefined && shown.invalid.length > SHOWN && (
          <p className="text-12 text-text-3">{counted(shown.invalid.length - SHOWN, 'more invalid message')}</p>
        )}
      </div>
    </Section>
  );
}
