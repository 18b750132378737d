import { Hash, Search as SearchIcon, SearchX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SearchResults } from '../../api/client.ts';
import { HIT_KINDS, type SearchHit } from '../../lib/hit-addresses.ts';
import { useAddress } from '../../lib/search.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FoundSelect } from '../../parts/found-select.tsx';
import { useNow, useZone } from '../../parts/moment.tsx';
import { TimeRange } from '../../parts/data-list/time-range.tsx';
import { searchedText, useHits } from '../../parts/search-hits.tsx';
import { useChannels } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { HitTable } from './hit-table.tsx';
import { PayloadPaths } from './payload-paths.tsx';

const LIMIT = 50;
/** Kinds that have their own tab; the others share one. */
const MOST_TABS = 3;

/** Finds everything in the environment whose name or value matches a text. The text is kept in the address. */
export function SearchPage() {
  const [search, change] = useAddress();
  const { q, channel, since } = search;
  const [text, setText] = useState(q ?? '');
  const [given, setGiven] = useState(q);
  if (given !== q) {
    setGiven(q);
    setText(q ?? '');
  }
  return (
    <Page title="Search" layout="full">
      <div role="search" className="flex shrink-0 items-center gap-2 px-6 py-3 max-md:flex-wrap max-md:px-4">
        <div className="flex h-8.5 min-w-0 grow items-center gap-2 rounded-6 border border-line-input bg-surface px-2.5 focus-within:border-focus focus-within:ring-1 focus-within:ring-focus max-md:basis-full">
          <Icon of={SearchIcon} className="text-text-3" />
          <input
            aria-label="Search"
            placeholder="Search by ID, event type, name or payload value"
            value={text}
            autoFocus={q === undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && change({ q: text.trim(), tab: '' })}
            className="min-w-0 grow bg-transparent outline-none"
          />
        </div>
        <ChannelFilter value={channel ?? ''} onChange={(next) => change({ channel: next })} />
        <TimeRange />
      </div>
      {q === undefined || q === '' ? (
        <Empty icon={SearchIcon} title="Search this environment">
          <p>
            Any ID, an external ID, an event type such as <code>order.*</code>, part of a name, a whole payload value,
            or a path with its value such as <code>payload.items.*.sku=A1</code>
          </p>
        </Empty>
      ) : (
        <Found key={q} q={q} channelId={channel} since={since} />
      )}
    </Page>
  );
}

function ChannelFilter({ value, onChange }: { value: string; onChange: (channel: string) => void }) {
  const channels = useChannels();
  return (
    <FoundSelect
      kind="channel"
      label="Channel"
      look="button"
      icon={Hash}
      known={[['', 'All channels'], ...channels.choices]}
      isMore={channels.isFull}
      isPending={channels.isPending}
      value={value}
      onChange={onChange}
    />
  );
}

function Found({ q, channelId, since }: { q: string; channelId: string | undefined; since: string | undefined }) {
  const found = useHits({ q, channelId, since }, { limit: LIMIT, isAsked: true });
  if (found.data === undefined)
    return found.isError ? (
      <div className="px-6 max-md:px-4">
        <FailureNote error={found.error} onRetry={() => void found.refetch()} />
      </div>
    ) : (
      <SkeletonRows />
    );
  const { pages } = found.data;
  const hits = pages.flatMap(({ data }) => data);
  const older = found.hasNextPage && (
    <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
      Search older
    </Button>
  );
  return (
    <>
      {hits.length === 0 ? (
        <Nothing q={q} channelId={channelId} pages={pages} older={older} />
      ) : (
        <Hits hits={hits} q={q} isMore={found.hasNextPage} />
      )}
      {found.isError && (
        <div className="px-6 pb-3 max-md:px-4">
          <FailureNote error={found.error} />
        </div>
      )}
      {hits.length > 0 && (
        <footer className="flex min-h-9 shrink-0 flex-wrap items-center gap-3 border-t border-line px-6 py-1.5 text-12 text-text-3 max-md:px-4">
          <Searched pages={pages} />
          {older !== false && (
            <Button size="small" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              Search older
            </Button>
          )}
        </footer>
      )}
    </>
  );
}

/** How far the search has got. */
function Searched({ pages }: { pages: readonly SearchResults[] }) {
  return <span role="status">{searchedText(pages, useNow(), useZone()) ?? 'Payloads were not searched'}</span>;
}

function Nothing({
  q,
  channelId,
  pages,
  older,
}: {
  q: string;
  channelId: string | undefined;
  pages: readonly SearchResults[];
  older: ReactNode;
}) {
  const hasPath = q.startsWith('payload.');
  const value = hasPath ? q.slice(q.indexOf('=') + 1) : q;
  return (
    <Empty icon={SearchX} title={older === false ? 'No results' : 'No results yet'} actions={older}>
      <p>
        <Searched pages={pages} />.{' '}
        {hasPath || older === false
          ? 'A payload value is found by all of it, in the same case: 12.50 is not 12.5, and Berg is not Bergström.'
          : `Add a path to search further, for example payload.order.id=${q}`}
      </p>
      {/* Shown if the path was wrong, or if a value without a path has found nothing so far. */}
      {value !== '' && (hasPath || older !== false) && <PayloadPaths value={value} channelId={channelId} />}
    </Empty>
  );
}

/** The results, with a tab for each kind. */
function Hits({ hits, q, isMore }: { hits: readonly SearchHit[]; q: string; isMore: boolean }) {
  const [search, change] = useAddress();
  const kinds = [...new Set(hits.map(({ kind }) => kind))];
  // If only one other kind is left, it has its own tab as well.
  const own = kinds.length <= MOST_TABS + 1 ? kinds : kinds.slice(0, MOST_TABS);
  const others = kinds.filter((kind) => !own.includes(kind));
  const of = (tab: string): readonly SearchHit[] =>
    tab === 'all' ? hits : hits.filter(({ kind }) => (tab === 'others' ? others.includes(kind) : kind === tab));
  const countOf = (tab: string): string =>
    `${of(tab).length}${isMore && (tab === 'all' || tab === 'message') ? '+' : ''}`;
  const tabs = [
    { value: 'all', label: 'All', count: countOf('all') },
    ...own.map((kind) => ({ value: kind, label: HIT_KINDS[kind].plural, count: countOf(kind) })),
    ...(others.length > 0 ? [{ value: 'others', label: 'Other', count: countOf('others') }] : []),
  ];
  const tab = tabs.find(({ value }) => value === search['tab'])?.value ?? 'all';
  return (
    <Tabs
      label="Kinds of results"
      tabs={kinds.length === 1 ? tabs.slice(1) : tabs}
      value={kinds.length === 1 ? (kinds[0] ?? 'all') : tab}
      onChange={(next) => change({ tab: next === 'all' ? '' : next })}
      className="min-h-0 grow overflow-y-auto px-6 pb-6 max-md:px-4"
    >
      <HitTable hits={of(kinds.length === 1 ? 'all' : tab)} q={q} />
    </Tabs>
  );
}
