import { useState } from 'react';
import { api } from '../api/client.ts';
import { itemTexts, memberText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from './failure.tsx';
import { HereLink } from './link.tsx';

/** As many as one page of a list has, and one request of the check takes. */
const MESSAGES = 100;
/** The check takes 5 MiB, schemas included. Payloads are 256 KiB at most, so that a request of 4 MiB has room for one more. */
const MOST_TEXT = 4 * 1024 * 1024;

type Asked = { id: string; eventType: string; text: string };
type Checked = { all: number; failed: { id: string; eventType: string; errors: readonly Problem[] }[] };
type Problem = { field: string; reason: string };

/** Parts that one request takes each. */
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

/**
 * Whether the newest messages of a channel would be taken by the schemas as they are written now. `tried` gives these as members of a
 * request, or nothing while one of them is no JSON.
 */
export function NewestPass({ channelId, tried }: { channelId: string; tried: () => string | undefined }) {
  const t = useTexts();
  const { at } = useHere();
  const [checked, setChecked] = useState<Checked>();
  const [error, setError] = useState<unknown>();
  const [isAsking, setIsAsking] = useState(false);
  const check = async (schemas: string): Promise<void> => {
    const page = await api.messages.list(channelId, { limit: MESSAGES }, at).page().withAnswer();
    const texts = itemTexts(memberText(page.text, 'data') ?? '[]');
    const messages = page.data.data.flatMap(({ id, eventType }, position): Asked[] => {
      // An erased message has no payload.
      const payload = memberText(texts[position] ?? '{}', 'payload');
      if (payload === undefined) return [];
      return [{ id, eventType, text: `{"eventType":${JSON.stringify(eventType)},"payload":${payload}}` }];
    });
    const failed: Checked['failed'] = [];
    for (const part of partsOf(messages, MOST_TEXT - schemas.length)) {
      const body = `{"messages":[${part.map(({ text }) => text).join(',')}],${schemas}}`;
      const { results } = await api.messages.validate(channelId, body, at);
      for (const [position, { valid, errors }] of results.entries()) {
        const of = part[position];
        if (!valid && of !== undefined) failed.push({ id: of.id, eventType: of.eventType, errors });
      }
    }
    setChecked({ all: messages.length, failed });
  };
  return (
    <section className="section">
      <h2>{t.schemas.newest(MESSAGES)}</h2>
      <p className="muted">{t.schemas.newestWhy}</p>
      <div className="buttons">
        <button
          type="button"
          className="button"
          disabled={isAsking}
          onClick={() => {
            setError(undefined);
            const schemas = tried();
            if (schemas === undefined) return;
            setIsAsking(true);
            void check(schemas)
              .catch(setError)
              .finally(() => setIsAsking(false));
          }}
        >
          {t.schemas.check}
        </button>
      </div>
      <Failure error={error} />
      <div aria-live="polite">
        {checked !== undefined && <p>{t.schemas.passed(checked.all - checked.failed.length, checked.all)}</p>}
        {checked !== undefined && checked.failed.length > 0 && (
          <ul>
            {checked.failed.map(({ id, eventType, errors }) => (
              <li key={id}>
                {eventType}{' '}
                <HereLink to={`/messages/${id}`} className="mono">
                  {id}
                </HereLink>{' '}
                {errors.map(({ field, reason }) => `${field} ${reason}`).join('; ')}
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
