import type { CreateSubscription, Subscription, UpdateSubscription } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { timeOfText, type Zone } from '../lib/times.ts';
import { Check, problemOf, TextField } from './field.tsx';
import { TimeField } from './time-field.tsx';

/** Settings that few subscriptions need, as they are written. */
type More = Record<
  'headers' | 'timeoutMs' | 'maxRetryAfter' | 'rateLimit' | 'maxConcurrency' | 'owner' | 'secret' | 'startFrom',
  string
> & { circuitBreaker: boolean };

/** `hasBreaker`: the choice of the app, which a new one begins with. */
export const moreOf = (subscription: Subscription | undefined, hasBreaker = true): More => ({
  headers: Object.entries(subscription?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  timeoutMs: subscription?.timeoutMs.toString() ?? '',
  maxRetryAfter: subscription?.maxRetryAfter.toString() ?? '',
  rateLimit: subscription?.rateLimit?.toString() ?? '',
  maxConcurrency: subscription?.maxConcurrency?.toString() ?? '',
  owner: subscription?.owner ?? '',
  circuitBreaker: subscription?.circuitBreaker ?? hasBreaker,
  secret: '',
  startFrom: '',
});

/** Headers by their lines. A line without a colon is a header without a value, which the service then refuses by its name. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        return colon === -1 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );

/** The longest Retry-After of a subscription for which none is written (docs/api.md, Subscriptions). */
const DAY_MS = 86_400_000;

const isWritten = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

/** The parts of a body that makes a subscription: only what was written, so that the app's own choices hold for the rest. */
export function newMore(written: Partial<More>, zone: Zone): Partial<CreateSubscription> {
  const startFrom = timeOfText(written.startFrom ?? '', zone);
  return {
    ...(isWritten(written.headers) && { headers: headersOf(written.headers) }),
    ...(isWritten(written.timeoutMs) && { timeoutMs: Number(written.timeoutMs) }),
    ...(isWritten(written.maxRetryAfter) && { maxRetryAfter: Number(written.maxRetryAfter) }),
    ...(isWritten(written.rateLimit) && { rateLimit: Number(written.rateLimit) }),
    ...(isWritten(written.maxConcurrency) && { maxConcurrency: Number(written.maxConcurrency) }),
    ...(isWritten(written.owner) && { owner: written.owner.trim() }),
    ...(isWritten(written.secret) && { secret: written.secret.trim() }),
    ...(written.circuitBreaker !== undefined && { circuitBreaker: written.circuitBreaker }),
    ...(startFrom !== undefined && { startFrom }),
  };
}

/** The parts of a body that changes one: only what was written, as a stored value that a newer rule refuses must not be sent again. */
export function changedMore(written: Partial<More>): Partial<UpdateSubscription> {
  const numberOrNone = (text: string): number | null => (text === '' ? null : Number(text));
  return {
    ...(written.headers !== undefined && { headers: headersOf(written.headers) }),
    ...(written.timeoutMs !== undefined && { timeoutMs: Number(written.timeoutMs) }),
    ...(written.maxRetryAfter !== undefined && {
      maxRetryAfter: isWritten(written.maxRetryAfter) ? Number(written.maxRetryAfter) : DAY_MS,
    }),
    ...(written.rateLimit !== undefined && { rateLimit: numberOrNone(written.rateLimit) }),
    ...(written.maxConcurrency !== undefined && { maxConcurrency: numberOrNone(written.maxConcurrency) }),
    ...(written.owner !== undefined && { owner: written.owner.trim() === '' ? null : written.owner.trim() }),
    ...(written.circuitBreaker !== undefined && { circuitBreaker: written.circuitBreaker }),
  };
}

const NUMBERS = ['timeoutMs', 'maxRetryAfter', 'rateLimit', 'maxConcurrency'] as const;

type Given = { more: More; onChange: (part: Partial<More>) => void; error: unknown; isNew: boolean };

export function MoreFields({ more, onChange, error, isNew }: Given) {
  const t = useTexts();
  const field = (name: Exclude<keyof More, 'circuitBreaker'>) => ({
    label: t.more.labels[name],
    hint: t.more.hints[name],
    value: more[name],
    onChange: (value: string) => onChange({ [name]: value }),
    problem: problemOf(error, name),
  });
  const names = ['owner', 'headers', 'secret', 'startFrom', ...NUMBERS] as const;
  const isRefused = names.some((name) => problemOf(error, name) !== undefined);
  return (
    <details className="box" open={isRefused ? true : undefined}>
      <summary>{t.more.title}</summary>
      <div className="form">
        <div className="numbers">
          {NUMBERS.map((name) => (
            <TextField key={name} type="number" {...field(name)} />
          ))}
        </div>
        <Check
          label={t.more.labels.circuitBreaker}
          isOn={more.circuitBreaker}
          onChange={(circuitBreaker) => onChange({ circuitBreaker })}
        />
        <TextField {...field('owner')} />
        <TextField {...field('headers')} lines={3} />
        {isNew && (
          <>
            <TimeField {...field('startFrom')} />
            <TextField {...field('secret')} type="password" autoComplete="new-password" isCode />
          </>
        )}
      </div>
    </details>
  );
}
