import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, type InboundRequest, type Webhook } from '../api/client.ts';
import { bodyFileOf } from '../lib/body-file.ts';
import { download } from '../lib/download.ts';
import { useKeys } from '../lib/keys.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText } from '../lib/units.ts';
import type { Texts } from '../texts/en.ts';
import { useActs } from '../parts/acts.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Filters } from '../parts/filters.tsx';
import { HereLink } from '../parts/link.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { useOneAtATime } from '../parts/one-at-a-time.ts';
import { usePaused } from '../parts/pause.tsx';
import { Spoken } from '../parts/spoken.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useLiveList } from '../parts/use-live-list.ts';
import { useLooked } from '../parts/use-looked.ts';
import { useSince } from '../parts/use-since.ts';
import { Views } from '../parts/views.tsx';
import { NothingYet } from './inbound-sample.tsx';

const AT_ONCE = 50;
const EVERY_MS = 3_000;
const OUTCOMES = ['received', 'repeated', 'refused'] as const;
const FILTERS = ['outcome', 'since', 'until'] as const;
const LOOKS = { received: 'delivered', repeated: 'pending', refused: 'failed' } as const;

const idOf = ({ id }: InboundRequest): string => id;
/** Its place in time: ids of refused requests begin otherwise than those of others. */
const placeOf = ({ id }: InboundRequest): string => id.slice(id.indexOf('_') + 1);
/** Nobody tells of requests: the list asks. */
const NO_KINDS = [] as const;

type Given = { of: Webhook; onSample: () => void; isInPanel: boolean };

/**
 * Requests to one address, with the message that each became or why it is none. Where nothing has come at all, a sample is offered. In a
 * panel the newest stand without filters: the address belongs to the list beside it.
 */
export function InboundRequests({ of: row, onSample, isInPanel }: Given) {
  const t = useTexts();
  const { at, path } = useHere();
  const [address] = useAddress();
  const search = isInPanel ? {} : address;
  const spans = useSince(search);
  const { id, channelId } = row;
  const outcome = oneOf(search['outcome'], OUTCOMES);
  const { since, until } = search;
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const list = useLiveList({
    key: [path, 'inbound requests', id, outcome, since, until],
    fetch: (cursor) =>
      api.webhooks
        .listRequests(id, { outcome, since: sinceOf(since), until: sinceOf(until), limit: AT_ONCE, cursor }, at)
        .page(),
    idOf,
    isPaused: usePaused(),
    inView: 0,
    kinds: NO_KINDS,
  });
  const { rows } = list;
  const looked = useLooked([path, 'inbound requests', id], rows[0] && placeOf(rows[0]));
  const isEmpty = !list.isFirst && list.error === null && rows.length === 0;
  const hasMessages = useQuery({
    queryKey: [path, 'has messages', channelId],
    queryFn: async () => (await api.messages.list(channelId, { limit: 1 }, at).page()).data.length > 0,
    refetchInterval: ({ state }) => (state.data === true ? false : EVERY_MS),
  });
  if (isEmpty && !isFiltered && hasMessages.data === false) return <NothingYet of={row} onOpen={onSample} />;
  return (
    <section className="section">
      <div className="heading steady">
        <h2>{t.inbound.requests}</h2>
        {list.fresh > 0 && (
          <button type="button" className="button main" onClick={list.showNew}>
            {t.list.fresh(list.fresh)}
          </button>
        )}
        {!isInPanel && rows.length > 0 && (
          <ExportButton
            of={{
              name: 'inbound-requests',
              path: `/v1/webhooks/${id}/requests`,
              query: () => ({ outcome, since: sinceOf(since), until: sinceOf(until) }),
              at,
            }}
          />
        )}
      </div>
      {!isInPanel && (
        <>
          <Views page="inbound-requests" filters={FILTERS} own={[]} />
          <Filters
            hasQuery={false}
            filters={[
              {
                name: 'outcome',
                label: t.inbound.outcome,
                options: OUTCOMES.map((each) => [each, t.inbound.outcomes[each]]),
                failure: 'refused',
              },
              ...spans,
            ]}
          />
        </>
      )}
      <Failure error={list.error} onRetry={list.retry} />
      <Spoken text={list.fresh > 0 ? t.list.fresh(list.fresh) : ''} />
      {isEmpty && (isFiltered ? <NoneMatch filters={FILTERS} /> : <p className="muted">{t.inbound.noRequests}</p>)}
      {rows.length > 0 && <Table rows={rows} looked={looked} hasKeys={!isInPanel} />}
      {!isInPanel && <p className="hint">{t.inbound.tooLong}</p>}
      <MoreButton hasMore={list.hasMore} isReading={list.isReadingMore} onMore={list.readMore} />
    </section>
  );
}

/** `looked`: place of the newest that was seen before. `hasKeys`: j and k go from row to row, and Enter opens the message of one. */
function Table({
  rows,
  looked,
  hasKeys,
}: {
  rows: readonly InboundRequest[];
  looked: string | undefined;
  hasKeys: boolean;
}) {
  const t = useTexts();
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (by: number): void => {
    const all = [...(body.current?.rows ?? [])];
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
    (next?.querySelector('a') ?? next)?.focus();
  };
  useKeys(hasKeys ? { j: () => move(1), k: () => move(-1) } : {});
  /** The oldest of those that came since. */
  const isLastNew = (index: number): boolean => {
    const [row, next] = [rows[index], rows[index + 1]];
    if (looked === undefined || row === undefined || next === undefined) return false;
    return placeOf(row) > looked && placeOf(next) <= looked;
  };
  return (
    <div className="box wide">
      <table className="table">
        <thead>
          <tr>
            <th>{t.fields.time}</th>
            <th>{t.inbound.outcome}</th>
            <th>{t.inbound.became}</th>
            <th>{t.inbound.parts.eventId}</th>
            <th>{t.inbound.from}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((request, index) => (
            <tr key={request.id} tabIndex={-1} data-since={isLastNew(index) ? t.list.sinceLooked : undefined}>
              <td>
                <Time at={request.receivedAt} />
              </td>
              <td>
                <Outcome of={request} />
              </td>
              <td>
                <Became of={request} />
              </td>
              <td className="mono">{request.eventId}</td>
              <td className="mono">{request.isSample ? t.inbound.sample.mark : fromOf(request, t.units)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A refused request that somebody has accepted since has a message. */
const isAccepted = ({ outcome, messageId }: InboundRequest): boolean =>
  outcome === 'refused' && messageId !== undefined;

function Outcome({ of: request }: { of: InboundRequest }) {
  const t = useTexts();
  const { outcome } = request;
  if (isAccepted(request)) return <State of={LOOKS.received} word={t.inbound.acceptedLater} />;
  return <State of={LOOKS[outcome]} word={t.inbound.outcomes[outcome]} />;
}

/** The message with its event type, or why there is none. An accepted request has both: why it was refused before. */
function Became({ of: request }: { of: InboundRequest }) {
  const t = useTexts();
  const { messageId, eventType, reason, detail, hasBody } = request;
  if (messageId === undefined)
    return (
      <>
        {reason !== undefined && t.inbound.reasons[reason]}
        <div className="hint">{detail?.replace(/^signature: /, '')}</div>
        {hasBody === true && <KeptBody of={request} />}
      </>
    );
  return (
    <>
      <HereLink to={`/messages/${messageId}`} className="mono">
        {messageId}
      </HereLink>{' '}
      {eventType}
      {isAccepted(request) && reason !== undefined && (
        <div className="hint">{t.inbound.refusedBefore(t.inbound.reasons[reason])}</div>
      )}
    </>
  );
}

/** A refused request whose body is kept: it is downloaded, and accepted once what refused it is corrected. */
function KeptBody({ of: { id } }: { of: InboundRequest }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const { isAtWork, run } = useOneAtATime();
  const refresh = useRefresh();
  const save = async (): Promise<void> => {
    const { extension, type, bytes } = bodyFileOf(await api.webhooks.getRequestBody(id, at));
    download(new Blob([bytes], { type }), `${id}.${extension}`);
  };
  const accept = async (): Promise<void> => {
    try {
      await api.webhooks.acceptRequest(id, at);
    } finally {
      // A request that is refused again has a new reason.
      await refresh();
    }
  };
  return (
    <div className="buttons">
      <button type="button" className="button" disabled={isAtWork} onClick={() => run(() => act(save))}>
        {t.inbound.saveBody}
      </button>
      {may('developer') && (
        <button
          type="button"
          className="button"
          title={t.inbound.acceptWhy}
          disabled={isAtWork}
          onClick={() => run(() => act(accept, { told: t.inbound.accepted }))}
        >
          {t.inbound.accept}
        </button>
      )}
    </div>
  );
}

const fromOf = ({ address, bytes }: InboundRequest, units: Texts['units']): string =>
  [address, bytes === undefined ? undefined : bytesText(bytes, units)].filter((part) => part !== undefined).join(', ');
