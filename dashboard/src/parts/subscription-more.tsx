import type { CreateSubscription, Subscription, UpdateSubscription } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { problemOf, TextField } from './field.tsx';

/** Settings that few subscriptions need, as they are written. */
type More = Record<'headers' | 'timeoutMs' | 'rateLimit' | 'maxConcurrency' | 'owner' | 'secret', string>;

export const moreOf = (subscription: Subscription | undefined): More => ({
  headers: Object.entries(subscription?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  timeoutMs: subscription?.timeoutMs.toString() ?? '',
  rateLimit: subscription?.rateLimit?.toString() ?? '',
  maxConcurrency: subscription?.maxConcurrency?.toString() ?? '',
  owner: subscription?.owner ?? '',
  secret: '',
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

/** The parts of a body that makes a subscription: only what was written, so that the app's own choices hold for the rest. */
export const newMore = (more: More): Partial<CreateSubscription> => ({
  ...(more.headers.trim() !== '' && { headers: headersOf(more.headers) }),
  ...(more.timeoutMs !== '' && { timeoutMs: Number(more.timeoutMs) }),
  ...(more.rateLimit !== '' && { rateLimit: Number(more.rateLimit) }),
  ...(more.maxConcurrency !== '' && { maxConcurrency: Number(more.maxConcurrency) }),
  ...(more.owner.trim() !== '' && { owner: more.owner.trim() }),
  ...(more.secret.trim() !== '' && { secret: more.secret.trim() }),
});

/** The parts of a body that changes one: only what differs, as a stored value that a newer rule refuses must not be sent again. */
export function changedMore(more: More, subscription: Subscription): Partial<UpdateSubscription> {
  const before = moreOf(subscription);
  const numberOrNone = (text: string): number | null => (text === '' ? null : Number(text));
  return {
    ...(more.headers !== before.headers && { headers: headersOf(more.headers) }),
    ...(more.timeoutMs !== before.timeoutMs && { timeoutMs: Number(more.timeoutMs) }),
    ...(more.rateLimit !== before.rateLimit && { rateLimit: numberOrNone(more.rateLimit) }),
    ...(more.maxConcurrency !== before.maxConcurrency && { maxConcurrency: numberOrNone(more.maxConcurrency) }),
    ...(more.owner !== before.owner && { owner: more.owner.trim() === '' ? null : more.owner.trim() }),
  };
}

const NUMBERS = ['timeoutMs', 'rateLimit', 'maxConcurrency'] as const;

type Given = { more: More; onChange: (more: More) => void; error: unknown; isNew: boolean };

export function MoreFields({ more, onChange, error, isNew }: Given) {
  const t = useTexts();
  const field = (name: keyof More) => ({
    label: t.more.labels[name],
    hint: t.more.hints[name],
    value: more[name],
    onChange: (value: string) => onChange({ ...more, [name]: value }),
    problem: problemOf(error, name),
  });
  const names = ['owner', 'headers', 'secret', ...NUMBERS] as const;
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
        <TextField {...field('owner')} />
        <TextField {...field('headers')} lines={3} />
        {isNew && <TextField {...field('secret')} type="password" autoComplete="new-password" isCode />}
      </div>
    </details>
  );
}
