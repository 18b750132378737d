import { useQueries } from '@tanstack/react-query';
import {
  ArrowLeftRight,
  ArrowRight,
  FlaskConical,
  ListFilter,
  ListChecks,
  type LucideIcon,
  Plus,
  Search as SearchIcon,
  Send,
} from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { api, type Delivery, type Role, type RunSummary } from '../api/client.ts';
import { HIT_KINDS, type SearchHit } from '../lib/hit-addresses.ts';
import type { Search } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';
import { stateOfDelivery } from '../lib/words.ts';
import { Ago } from '../parts/moment.tsx';
import { Name } from '../parts/names.tsx';
import { FoundPlace, hitState, hitText, useFoundPlaces, valueOf } from '../parts/search-hits.tsx';
import { StatusIcon, type Tone } from '../ui/status.tsx';
import { LastResponse } from '../pages/deliveries/delivery-state.tsx';
import { NAVIGATION, OTHER_PAGES, SETTINGS_PAGES } from './navigation.ts';

/** An item of the palette: a path of the dashboard, or an id whose page is still to be found. */
export type Item = {
  value: string;
  icon: LucideIcon;
  label: ReactNode;
  /** Shown after the label. */
  note?: ReactNode;
  /** At the right end. */
  end?: ReactNode;
  to?: { path: string; search?: Search };
  findId?: string;
};
export type Group = { value: string; items: readonly Item[] };

const MOST_PAGES = 6;
/** Messages whose payloads are loaded, to show where the value is. */
const READ_FOR_PLACES = 4;
/** Messages whose deliveries and runs are shown. */
const READ_FOR_MORE = 2;
const MOST_OF_MORE = 5;
/** With this many letters or more, a text that an action starts with means this action. */
const LEAST_OF_ACT = 3;

/** Forms that create something. */
const ACTIONS: readonly { path: string; name: string; role: Role }[] = [
  { path: 'messages/new', name: 'Publish message', role: 'developer' },
  { path: 'channels/new', name: 'Create channel', role: 'developer' },
  { path: 'subscriptions/new', name: 'Create subscription', role: 'developer' },
  { path: 'workflows/new', name: 'Create workflow', role: 'developer' },
  { path: 'inbound/new', name: 'Create inbound webhook', role: 'developer' },
];

const has = (name: string, wanted: string): boolean => name.toLowerCase().includes(wanted.toLowerCase());
const startsWith = (name: string, wanted: string): boolean => name.toLowerCase().startsWith(wanted.toLowerCase());

/** Pages whose name contains the text; all pages for an empty text. */
function usePages(wanted: string): readonly Item[] {
  const here = useHere();
  const all: readonly { path: string; name: string; icon?: LucideIcon; role?: Role }[] = [
    ...NAVIGATION.flatMap((group) => group.pages),
    ...SETTINGS_PAGES,
    ...OTHER_PAGES,
  ];
  return all
    .filter(({ role, name }) => (role === undefined || here.may(role)) && has(name, wanted))
    .slice(0, wanted === '' ? undefined : MOST_PAGES)
    .map(({ path, name, icon = ArrowRight }) => ({
      value: `page ${path}`,
      icon,
      label: name,
      to: { path: `${here.path}/${path}` },
    }));
}

function useActions(wanted: string): readonly Item[] {
  const here = useHere();
  const forms = ACTIONS.filter(({ role, name }) => here.may(role) && has(name, wanted)).map(
    ({ path, name }): Item => ({
      value: `action ${path}`,
      icon: Plus,
      label: name,
      to: { path: `${here.path}/${path}` },
    }),
  );
  const other = otherOf(here.path);
  const turn = `Switch to ${other.name}`;
  return has(turn, wanted)
    ? [
        ...forms,
        { value: 'other environment', icon: FlaskConical, label: turn, to: { path: `${other.path}/overview` } },
      ]
    : forms;
}

/** The same app in the other environment. */
function otherOf(path: string): { path: string; name: string } {
  const isLive = path.endsWith('/live');
  return { path: path.replace(/\/(?:live|test)$/, isLive ? '/test' : '/live'), name: isLive ? 'Test' : 'Live' };
}

/** Returns what the palette shows for a text: what it names, what the search found, and what can be done. */
export function usePaletteGroups({
  wanted,
  id,
  asked,
  hits,
}: {
  wanted: string;
  /** The first id in the text. */
  id: string | undefined;
  /** The text that the hits were found by. */
  asked: string;
  hits: readonly SearchHit[];
}): readonly Group[] {
  const here = useHere();
  const pages = usePages(wanted);
  const actions = useActions(wanted);
  const value = valueOf(asked);
  const places = useFoundPlaces(hits, value, READ_FOR_PLACES);
  const byValue = hits.filter(({ kind, matched }) => kind === 'message' && matched === 'payload');
  const more = useMoreOf(byValue.slice(0, READ_FOR_MORE).map(({ id: each }) => each));
  if (id !== undefined)
    return [
      { value: 'ID', items: [{ value: id, icon: SearchIcon, label: <span className="mono">{id}</span>, findId: id }] },
    ];
  const others = hits.filter((hit) => !byValue.includes(hit));
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  const itemOf = (hit: SearchHit): Item => {
    const place = places.get(hit.id);
    return hitItem(hit, here.path, place && { ...place, value });
  };
  const foundPath = [...places.values()].find((place) => place.path !== undefined)?.path;
  const other = otherOf(here.path);
  const further: readonly Item[] =
    wanted === ''
      ? []
      : [
          {
            value: 'search',
            icon: SearchIcon,
            label: `See all results for “${wanted}”`,
            to: { path: `${here.path}/search`, search: { q: wanted } },
          },
          ...(foundPath === undefined || asked !== wanted || asked.startsWith('payload.')
            ? []
            : [
                {
                  value: 'by path',
                  icon: ListFilter,
                  label: `Show all messages where ${foundPath} = ${value}`,
                  to: { path: `${here.path}/search`, search: { q: `${foundPath}=${value}` } },
                },
              ]),
          {
            value: 'in other environment',
            icon: ArrowLeftRight,
            label: `Search “${wanted}” in ${here.app.name}, ${other.name}`,
            to: { path: `${other.path}/search`, search: { q: wanted } },
          },
        ];
  const acts: Group = { value: 'Actions', items: [...actions, ...further] };
  // Enter opens the first item.
  const isAct = wanted.length >= LEAST_OF_ACT && ACTIONS.some(({ name }) => startsWith(name, wanted));
  const groups: readonly Group[] = [
    ...(isAct ? [acts] : []),
    { value: 'Go to', items: pages },
    ...kinds.map((kind) => ({
      value: HIT_KINDS[kind].plural,
      items: others.filter((hit) => hit.kind === kind).map(itemOf),
    })),
    { value: 'Messages with this value', items: byValue.map(itemOf) },
    { value: 'Deliveries and runs of these messages', items: more },
    ...(isAct ? [] : [acts]),
  ];
  return groups.filter(({ items }) => items.length > 0);
}

function hitItem(hit: SearchHit, herePath: string, place: ComponentProps<typeof FoundPlace>['of'] | undefined): Item {
  const { icon, name, addressOf } = HIT_KINDS[hit.kind];
  const { to, search } = addressOf(hit);
  const { title, note } = hitText(hit);
  const state = hitState(hit);
  return {
    value: `${hit.kind} ${hit.id}`,
    icon,
    label: title,
    note: place && <FoundPlace of={place} />,
    end: <End text={note ?? (hit.kind === 'message' ? undefined : name)} state={state} at={hit.at} />,
    to: { path: herePath + to, ...(search !== undefined && { search }) },
  };
}

function End({
  text,
  state,
  at,
}: {
  text?: string | undefined;
  state: { tone: Tone; word: string } | undefined;
  at: string;
}) {
  return (
    <>
      {text !== undefined && <span className="max-md:hidden">{text}</span>}
      {state !== undefined && <StatusIcon tone={state.tone} label={state.word} />}
      <Ago at={at} />
    </>
  );
}

const RUN_TONES: Readonly<Record<RunSummary['status'], Tone>> = {
  pending: 'pending',
  running: 'running',
  waiting: 'pending',
  paused: 'held',
  completed: 'delivered',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'cancelled',
};

/** Returns the deliveries and runs of a few messages. */
function useMoreOf(messageIds: readonly string[]): readonly Item[] {
  const { at, path } = useHere();
  const found = useQueries({
    queries: messageIds.map((messageId) => ({
      queryKey: [path, 'found-more', messageId],
      queryFn: async () => {
        const [deliveries, runs] = await Promise.all([
          api.deliveries.list({ messageId, responseBodies: 'false', limit: MOST_OF_MORE }, at).page(),
          api.runs.list({ messageId, outputs: 'false', limit: MOST_OF_MORE }, at).page(),
        ]);
        return { deliveries: deliveries.data, runs: runs.data };
      },
      staleTime: 10_000,
      meta: { failure: 'none' },
      retry: false,
    })),
  });
  const deliveries = found.flatMap(({ data }) => data?.deliveries ?? []);
  const runs = found.flatMap(({ data }) => data?.runs ?? []);
  return [
    ...deliveries.map((row) => deliveryItem(row, path)),
    ...runs.map(
      (row): Item => ({
        value: `run ${row.id}`,
        icon: ListChecks,
        label: <Name kind="workflow" id={row.workflowId} />,
        end: <End state={{ tone: RUN_TONES[row.status], word: row.status }} at={row.createdAt} />,
        to: { path: `${path}/runs/${row.id}` },
      }),
    ),
  ].slice(0, MOST_OF_MORE);
}

const deliveryItem = (row: Delivery, path: string): Item => ({
  value: `delivery ${row.id}`,
  icon: Send,
  label: (
    <>
      {row.eventType} → <Name kind="subscription" id={row.subscriptionId} />
    </>
  ),
  note: (
    <>
      <LastResponse of={row} />
      {row.attempts > 1 && <span className="ml-1.5">{row.attempts} attempts</span>}
    </>
  ),
  end: <End state={stateOfDelivery(row)} at={row.createdAt} />,
  to: { path: `${path}/deliveries/${row.id}` },
});
