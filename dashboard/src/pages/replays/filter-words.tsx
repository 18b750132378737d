import { Fragment, type ReactNode } from 'react';
import { DELIVERY_STATES, ERRORS, GIVE_UP_REASONS } from '../../lib/words.ts';
import { durationText } from '../../lib/format.ts';
import { HereLink } from '../../parts/link.tsx';
import { Exact } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { namedId } from '../../ui/copy.tsx';
import type { AnyReplay } from './any-replay.ts';

/**
 * Without an explicit end, a replay covers what exists when it is created, according to a clock that is not the
 * request's.
 */
const ASKED_WITHIN_MS = 60_000;

const COMMON: Readonly<Record<string, string>> = {
  channelId: 'Channel',
  subscriptionId: 'Subscription',
  messageId: 'Message',
  workflowId: 'Workflow',
  eventType: 'Event type',
  status: 'Status',
  errorClass: 'Error',
  errorStatus: 'Status code',
  kind: 'Kind',
  reason: 'Cause',
  minLatencyMs: 'Latency',
  held: 'On hold',
  replayId: 'Replay',
  onlyMissing: 'Only',
};

/** Labels of the times, which mean different moments in each kind of replay. */
const TIMES: Readonly<Record<AnyReplay['kind'], Readonly<Record<string, string>>>> = {
  'dead-letters': {
    since: 'Failed since',
    until: 'Failed before',
    createdSince: 'Created since',
    createdUntil: 'Created before',
  },
  deliveries: { since: 'Created since', until: 'Created before' },
  messages: { since: 'Published since', until: 'Published before' },
};

const LINKS: Readonly<Record<string, readonly ['channel' | 'subscription' | 'workflow', string]>> = {
  channelId: ['channel', '/channels'],
  subscriptionId: ['subscription', '/subscriptions'],
  workflowId: ['workflow', '/workflows'],
};

const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: Object.fromEntries(Object.entries(DELIVERY_STATES).map(([key, { word }]) => [key, word])),
  kind: { delivery: 'Delivery', run: 'Run' },
  reason: GIVE_UP_REASONS,
  errorClass: ERRORS,
  held: { true: 'Yes', false: 'No' },
  onlyMissing: { true: 'Messages never delivered to this subscription' },
};

/** A subscription implies deliveries and a workflow implies runs, so their kind need not be shown. */
const withoutKind = ({ kind, ...filter }: AnyReplay['filter']): AnyReplay['filter'] =>
  (filter['subscriptionId'] ?? filter['workflowId']) === undefined ? { kind, ...filter } : filter;

/**
 * Returns the filter of a replay as labels with values, for its page. A field from a newer release is shown by its own
 * name.
 */
export const filterFacts = ({ filter, kind }: Pick<AnyReplay, 'filter' | 'kind'>): [string, ReactNode][] =>
  Object.entries(withoutKind(filter)).flatMap(([name, value]): [string, ReactNode][] =>
    value === undefined ? [] : [[TIMES[kind][name] ?? COMMON[name] ?? name, valueOf(kind, name, value, true)]],
  );

/** Already shown in the heading of a row. */
const IN_TITLE: ReadonlySet<string> = new Set(['subscriptionId', 'workflowId']);
/** Values that need no label. */
const PLAIN: ReadonlySet<string> = new Set(['eventType', 'reason', 'errorClass', 'onlyMissing']);

/**
 * Returns the filter as one line: `All attempts failed, Status code 503`. An end equal to the creation time is left
 * out.
 */
export function FilterWords({ of: { filter, kind, createdAt } }: { of: AnyReplay }) {
  const isOfAsking = Math.abs(Date.parse(String(filter['until'])) - Date.parse(createdAt)) < ASKED_WITHIN_MS;
  const parts = Object.entries(withoutKind(filter)).filter(
    ([name, value]) => value !== undefined && !IN_TITLE.has(name) && !(isOfAsking && name === 'until'),
  );
  return parts.map(([name, value], index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      {!PLAIN.has(name) && `${TIMES[kind][name] ?? COMMON[name] ?? name} `}
      {valueOf(kind, name, value, false)}
    </Fragment>
  ));
}

function valueOf(kind: AnyReplay['kind'], name: string, value: unknown, isLinked: boolean): ReactNode {
  const link = LINKS[name];
  if (name in TIMES[kind]) return <Exact at={String(value)} />;
  if (link !== undefined) {
    const thing = <Name kind={link[0]} id={String(value)} />;
    if (!isLinked) return thing;
    return (
      <HereLink to={`${link[1]}/${String(value)}`} className="text-accent hover:underline">
        {thing}
      </HereLink>
    );
  }
  if (name === 'messageId' || name === 'replayId') {
    if (!isLinked) return namedId(String(value));
    return (
      <HereLink
        to={`/${name === 'messageId' ? 'messages' : 'replays'}/${String(value)}`}
        className="mono text-accent hover:underline"
      >
        {namedId(String(value))}
      </HereLink>
    );
  }
  if (name === 'minLatencyMs') return `≥ ${durationText(Number(value))}`;
  const text = [value]
    .flat()
    .map((one) => WORDS[name]?.[String(one)] ?? String(one))
    .join(', ');
  return name === 'eventType' ? <span className="mono">{text}</span> : text;
}
