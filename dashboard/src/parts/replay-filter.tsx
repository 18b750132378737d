import type { AskBulkReplay, BulkRetry } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { Time } from './time.tsx';
import { ThingName } from './thing-name.tsx';

/** Parts of a filter that are times. */
const TIMES: ReadonlySet<string> = new Set(['since', 'until', 'createdSince', 'createdUntil']);

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
  const states: Readonly<Record<string, string>> = t.states;
  // `as`: a filter, or a kind, that a newer service knows is shown by its own name.
  const words: Readonly<Record<string, string>> = given ?? t.replays.filter;
  const kinds = t.deadLetters.kinds as Readonly<Record<string, string>>;
  return Object.entries(filter).map(([name, value]) =>
    value === undefined
      ? null
      : [
          <dt key={`${name} name`}>{words[name] ?? name}</dt>,
          <dd key={name}>
            {TIMES.has(name) ? (
              <Time at={String(value)} />
            ) : name === 'subscriptionId' ? (
              <ThingName kind="subscription" id={String(value)} />
            ) : name === 'channelId' ? (
              <ThingName kind="channel" id={String(value)} />
            ) : name === 'status' ? (
              [value]
                .flat()
                .map((one) => states[String(one)] ?? String(one))
                .join(', ')
            ) : name === 'held' ? (
              t.deliveries.isHeld[value === true ? 'true' : 'false']
            ) : name === 'kind' ? (
              (kinds[String(value)] ?? String(value))
            ) : (
              String(value)
            )}
          </dd>,
        ],
  );
}
