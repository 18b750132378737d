import type { ReactNode } from 'react';
import type { AskBulkReplay, BulkRetry } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { Time } from './time.tsx';
import { ThingName } from './thing-name.tsx';

/** Parts of a filter that are times. */
const TIMES: ReadonlySet<string> = new Set(['since', 'until', 'createdSince', 'createdUntil']);

/** Names and values of a filter. `as`: the types of its values differ from name to name. */
export const partsOf = (filter: AskBulkReplay | BulkRetry['filter']): [string, unknown][] =>
  Object.entries(filter) as [string, unknown][];

/** The filter of a bulk replay, or of a bulk retry, as facts of a list: names and times of what it takes. */
export function ReplayFilter({
  of: filter,
  words: given,
}: {
  of: AskBulkReplay | BulkRetry['filter'];
  /** Names of its fields. Default: those of a bulk replay. */
  words?: Readonly<Record<string, string>>;
}) {
  const t = useTexts();
  // A filter that a newer service knows is shown by its own name.
  const words: Readonly<Record<string, string>> = given ?? t.replays.filter;
  return partsOf(filter).map(([name, value]) =>
    value === undefined
      ? null
      : [
          <dt key={`${name} name`}>{words[name] ?? name}</dt>,
          <dd key={name}>
            <ReplayValue name={name} value={value} />
          </dd>,
        ],
  );
}

/** Kinds of things that a filter names by their ids. */
const THINGS = { subscriptionId: 'subscription', channelId: 'channel', workflowId: 'workflow' } as const;

/** One value of such a filter: names in place of ids, and words in place of codes. */
export function ReplayValue({ name, value }: { name: string; value: unknown }): ReactNode {
  const t = useTexts();
  // `as`: a value that a newer service knows is shown by its own name.
  const codes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    status: t.states,
    kind: t.deadLetters.kinds,
    reason: t.reasons,
    errorClass: t.errorClasses,
  };
  const kind = THINGS[name as keyof typeof THINGS] as (typeof THINGS)[keyof typeof THINGS] | undefined;
  if (TIMES.has(name)) return <Time at={String(value)} />;
  if (kind !== undefined) return <ThingName kind={kind} id={String(value)} />;
  if (name === 'held') return t.deliveries.isHeld[value === true ? 'true' : 'false'];
  return [value]
    .flat()
    .map((one) => codes[name]?.[String(one)] ?? String(one))
    .join(', ');
}
