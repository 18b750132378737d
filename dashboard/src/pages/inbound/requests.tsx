import { ArrowDownToLine, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { api, type InboundRequest, type Webhook } from '../../api/client.ts';
import { sizeText } from '../../lib/format.ts';
import { oneOf, sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId, shortId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { RequestPanel } from './request-panel.tsx';
import { useSample } from './use-sample.ts';
import { isAcceptedLater, OUTCOME_WORDS, OUTCOME_CODES, outcomeOf, providerName, REASONS } from './words.ts';

const FILTERS = ['outcome', 'since', 'until'] as const;
const OF_TABS = ['tab'] as const;
/** Its position in time, because ids of rejected requests have another prefix. */
const placeOf = ({ id }: InboundRequest): string => id.slice(id.indexOf('_') + 1);

/** Requests to one webhook, newest first, with the message that each became, or why there is none. */
export function InboundRequests({ of: row, onSample }: { of: Webhook; onSample: () => void }) {
  const { at, path } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const [known, setKnown] = useState<ReadonlyMap<string, InboundRequest>>(new Map());
  const times = useTimeFilters();
  const { id } = row;
  const outcome = oneOf(search['outcome'], OUTCOME_CODES);
  const { since, until } = search;
  const query = () => ({ outcome, since: sinceOf(since), until: sinceOf(until) });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const all = columnsOf(search, id);
  const choice = useColumnChoice('inbound-requests', all);
  return (
    <DataList
      name="Requests"
      listKey={[path, 'inbound requests', id, outcome, since, until]}
      ofId={id}
      fetch={async (cursor) => {
        const page = await api.webhooks.listRequests(id, { ...query(), limit: 50, cursor }, at).page();
        // The API does not return single requests, so the panel shows the one from the list.
        setKnown((before) => new Map([...before, ...page.data.map((each) => [placeOf(each), each] as const)]));
        return page;
      }}
      idOf={placeOf}
      columns={choice.shown}
      narrow={(request) => {
        const { tone, word } = outcomeOf(request);
        return {
          mark: <StatusIcon tone={tone} label={word} />,
          what: request.eventType ?? word,
          when: <Ago at={request.receivedAt} />,
          where: <Result of={request} />,
        };
      }}
      above={
        <FilterLine
          filters={[
            {
              name: 'outcome',
              label: 'Outcome',
              options: OUTCOME_CODES.map((each) => [each, OUTCOME_WORDS[each].word] as const),
              failure: 'refused',
            },
            ...times,
          ]}
          hasTime
          ofTabs={OF_TABS}
          views={{ page: 'inbound-requests', own: [{ name: 'Rejected', search: { outcome: 'refused' } }] }}
          columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
        >
          {count !== undefined && count.fresh > 0 && (
            <span className="flex h-8.5 items-center">
              <ListCountText count={count} />
            </span>
          )}
          <ExportButton of={{ name: 'inbound-requests', path: `/v1/webhooks/${id}/requests`, query, at }} />
        </FilterLine>
      }
      onCount={setCount}
      empty={
        isFiltered ? (
          <NothingMatches title="No requests match" filters={FILTERS} since={since} until={until} />
        ) : (
          <NoRequests of={row} onSample={onSample} />
        )
      }
      panelTitle="Request"
      panel={(place) => {
        const request = known.get(place);
        return request === undefined ? (
          <p className="text-text-2">This request is not among the newest ones of the list.</p>
        ) : (
          <RequestPanel key={place} of={request} />
        );
      }}
    />
  );
}

/** Shown until the first request arrives. */
function NoRequests({ of: row, onSample }: { of: Webhook; onSample: () => void }) {
  const { may } = useHere();
  const { data } = useSample(row.id);
  const isOffered = data?.isSignable === true && row.status === 'active' && may('developer');
  const provider = providerName(row);
  return (
    <Empty
      icon={ArrowDownToLine}
      title="No requests yet"
      actions={
        isOffered && (
          <Button look="primary" icon={FlaskConical} onClick={onSample}>
            Send test request
          </Button>
        )
      }
    >
      <p>
        {isOffered
          ? `See what a request becomes before ${provider} sends the first one.`
          : `Requests from ${provider} show here with the message that each became.`}
      </p>
    </Empty>
  );
}

/** The message, or why there is none. */
function Result({ of: request }: { of: InboundRequest }) {
  const { messageId, reason } = request;
  if (messageId === undefined) return reason === undefined ? '—' : REASONS[reason];
  return (
    <>
      <HereLink to={`/messages/${messageId}`} className="mono text-text-2 hover:underline">
        {shortId(messageId)}
      </HereLink>
      {isAcceptedLater(request) && reason !== undefined && (
        <span className="ml-2 text-text-3">rejected at first: {REASONS[reason]}</span>
      )}
    </>
  );
}

const columnsOf = (search: Readonly<Record<string, string>>, webhookId: string): readonly Column<InboundRequest>[] => [
  {
    key: 'outcome',
    head: 'Outcome',
    width: 90,
    grow: 0,
    cell: (row) => {
      const { tone, word } = outcomeOf(row);
      return (
        <HereLink to={`/inbound/${webhookId}`} search={{ ...search, open: placeOf(row) }} isRow>
          <Status tone={tone}>{word}</Status>
        </HereLink>
      );
    },
  },
  {
    key: 'type',
    head: 'Event type',
    width: 170,
    rank: 1,
    cell: ({ eventType }) =>
      eventType === undefined ? <span className="text-text-3">—</span> : <span className="mono">{eventType}</span>,
  },
  { key: 'message', head: 'Message', width: 150, grow: 1, cell: (row) => <Result of={row} /> },
  {
    key: 'event',
    head: 'Event ID',
    width: 120,
    rank: 4,
    cell: ({ eventId }) => <span className="mono text-text-2">{eventId ?? '—'}</span>,
  },
  {
    key: 'from',
    head: 'From',
    width: 120,
    rank: 3,
    cell: ({ isSample, address, bytes }) =>
      isSample ? (
        'Test request'
      ) : address === undefined && bytes === undefined ? (
        <span className="text-text-3">—</span>
      ) : (
        <>
          <span className="mono">{address}</span>{' '}
          {bytes !== undefined && <span className="text-text-2">{sizeText(bytes)}</span>}
        </>
      ),
  },
  { key: 'id', head: 'ID', width: 72, grow: 0, rank: 5, isOff: true, cell: (row) => <CopyId id={row.id} /> },
  {
    key: 'received',
    head: 'Received',
    width: 92,
    grow: 0,
    isNumber: true,
    rank: 2,
    cell: (row) => <Ago at={row.receivedAt} />,
  },
];
