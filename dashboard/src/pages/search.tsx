import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SearchResults } from '../api/client.ts';
import { isTime, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Filters, SINCE } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { PayloadPaths } from '../parts/payload-paths.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useChannels } from '../parts/use-names.ts';
import { Waiting } from '../parts/waiting.tsx';
import { namedFilter } from '../parts/named-filter.ts';

type Hit = SearchResults['data'][number];

/** Where each kind of thing is shown. */
const ADDRESSES: Readonly<
  Record<Hit['kind'], (hit: Hit) => { to: string; search?: Readonly<Record<string, string>> }>
> = {
  message: ({ id }) => ({ to: `/messages/${id}` }),
  delivery: ({ id }) => ({ to: `/deliveries/${id}` }),
  attempt: ({ deliveryId = '' }) => ({ to: `/deliveries/${deliveryId}` }),
  deadLetter: ({ id }) => ({ to: `/dead-letters/${id}` }),
  bulkReplay: ({ id }) => ({ to: `/replays/${id}` }),
  bulkRetry: ({ id }) => ({ to: `/replays/${id}` }),
  messageReplay: ({ id }) => ({ to: `/replays/${id}` }),
  subscription: ({ id }) => ({ to: `/subscriptions/${id}` }),
  channel: ({ id }) => ({ to: `/channels/${id}` }),
  workflow: ({ id }) => ({ to: `/workflows/${id}` }),
  run: ({ id }) => ({ to: `/runs/${id}` }),
  approval: ({ id }) => ({ to: '/approvals', search: { open: id } }),
  connection: ({ id }) => ({ to: '/connections', search: { open: id } }),
  webhook: ({ id }) => ({ to: `/inbound/${id}` }),
};

/** One question over everything of the place: the text stands in the address. */
export function SearchPage() {
  const t = useTexts();
  const [search, change] = useAddress();
  const channels = useChannels();
  const q = search['q'];
  const [text, setText] = useState(q ?? '');
  const [given, setGiven] = useState(q);
  if (given !== q) {
    setGiven(q);
    setText(q ?? '');
  }
  return (
    <>
      <Heading title={t.nav.names.search} />
      <form
        className="search-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          change({ q: text.trim() });
        }}
      >
        <input
          className="input mono"
          aria-label={t.search.label}
          aria-describedby="search-hint"
          placeholder={t.search.label}
          value={text}
          autoFocus={q === undefined}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button main">
          {t.search.go}
        </button>
      </form>
      <p id="search-hint" className="muted">
        {t.search.hint}
      </p>
      <Filters
        hasQuery={false}
        filters={[
          namedFilter('channel', t.fields.channel, channels),
          {
            name: 'since',
            label: t.fields.since,
            options: SINCE.map((since) => [since, t.list.last[since]]),
            accepts: isTime,
          },
        ]}
      />
      {q === undefined ? <Examples /> : <Found q={q} />}
    </>
  );
}

function Examples() {
  const t = useTexts();
  const examples = [
    ['msg_01m7xyn298e61rz1njzm3v0vwc', t.search.example.id],
    ['order.*', t.search.example.type],
    ['payload.order.id=42', t.search.example.path],
    ['payload.items.*.sku=A1', t.search.example.any],
    ['till', t.search.example.name],
  ] as const;
  return (
    <section className="section" aria-label={t.search.examples}>
      <h2>{t.search.examples}</h2>
      <dl className="facts wide">
        {examples.map(([text, meaning]) => (
          <div key={text} className="example">
            <dt>
              <HereLink to="/search" search={{ q: text }} className="mono">
                {text}
              </HereLink>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Found({ q }: { q: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search] = useAddress();
  const channelId = search['channel'];
  const { since } = search;
  const found = useInfiniteQuery({
    queryKey: [path, 'search', q, channelId, since],
    queryFn: ({ pageParam }) =>
      api.search.find({ q, channelId, since: sinceOf(since), limit: 50, cursor: pageParam }, at),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    meta: { failure: 'own' },
    // Looking again would look through everything again.
    refetchOnWindowFocus: false,
    retry: false,
  });
  if (found.isError && found.data === undefined)
    return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <Waiting />;
  const { pages } = found.data;
  const hits = pages.flatMap(({ data }) => data);
  return (
    <div className="stack">
      {hits.length > 0 && <Hits hits={hits} />}
      {hits.length === 0 && (
        <Empty title={found.hasNextPage ? t.search.noneSoFar : t.search.none}>
          <p>{q.includes('=') ? t.search.noneWhy : t.search.noneWithoutPath(q)}</p>
          <PayloadPaths value={q.slice(q.indexOf('=') + 1)} channelId={channelId} />
        </Empty>
      )}
      <Looked pages={pages} count={hits.length} />
      <Failure error={found.error} />
      {found.hasNextPage && (
        <div className="buttons">
          <button
            type="button"
            className="button"
            disabled={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            {t.search.more}
          </button>
        </div>
      )}
    </div>
  );
}

/** By their kinds, each where its first one was found: what has the asked name or id stands above the messages. */
function Hits({ hits }: { hits: readonly Hit[] }) {
  const t = useTexts();
  const kinds = [...new Set(hits.map(({ kind }) => kind))];
  return (
    <div className="box wide">
      <table className="table">
        <thead>
          <tr>
            <th>{t.search.what}</th>
            <th>{t.fields.status}</th>
            <th>{t.fields.time}</th>
            <th>{t.search.matchedHead}</th>
          </tr>
        </thead>
        {kinds.map((kind) => {
          const some = hits.filter((hit) => hit.kind === kind);
          return (
            <tbody key={kind}>
              <tr>
                <th colSpan={4} scope="rowgroup">
                  {t.search.kinds[kind]} · {some.length.toLocaleString(t.figures.locale)}
                </th>
              </tr>
              {some.map((hit) => (
                <tr key={hit.id}>
                  <td>
                    <HereLink {...ADDRESSES[kind](hit)} className="mono">
                      {hit.id}
                    </HereLink>
                    <div>{hit.summary}</div>
                  </td>
                  <td>{hit.status !== undefined && <State of={hit.status} />}</td>
                  <td>
                    <Time at={hit.at} />
                  </td>
                  <td>{t.search.matched[hit.matched]}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

/** How much was read for the answer so far, and whether that was all. */
function Looked({ pages, count }: { pages: readonly SearchResults[]; count: number }) {
  const t = useTexts();
  const times = useTimes();
  const parts = pages.map(({ lookedThrough }) => lookedThrough);
  const messages = parts.reduce((sum, part) => sum + part.messages, 0);
  const milliseconds = parts.reduce((sum, part) => sum + part.milliseconds, 0);
  const newestAt = parts.find((part) => part.newestAt !== undefined)?.newestAt;
  const oldestAt = parts.findLast((part) => part.oldestAt !== undefined)?.oldestAt;
  return (
    <p className="muted" role="status">
      {t.search.found(count)} · {t.search.looked(messages, milliseconds)}
      {newestAt !== undefined && oldestAt !== undefined && (
        <>
          {', '}
          {t.search.between} {times.short(oldestAt)} {t.search.until} {times.short(newestAt)}
        </>
      )}
      . {parts.at(-1)?.isComplete === true ? t.search.whole : t.search.left}
    </p>
  );
}
