import { api, type Webhook, type WebhookStats } from '../api/client.ts';
import { senderOf } from '../lib/providers.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { nameFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useRowFigures } from '../parts/use-row-figures.ts';
import { Views } from '../parts/views.tsx';
import { InboundWebhookView } from './inbound-webhook.tsx';

const STATUSES = ['active', 'disabled'] as const;
const FILTERS = ['name', 'status'] as const;
const idOf = ({ id }: Webhook): string => id;

/** Addresses where other services send requests that become messages. */
export function InboundPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const figures = useRowFigures(
    'webhook-figures',
    async (ids) => (await api.stats.getWebhooks({ webhookIds: ids }, at)).webhooks,
  );
  const columns: readonly Column<Webhook>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    {
      head: t.common.name,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <HereLink to={`/inbound/${row.id}`}>{row.name}</HereLink>,
    },
    { head: t.inbound.sender, width: 'minmax(120px, 1fr)', cell: senderOf },
    {
      head: t.fields.channel,
      width: 'minmax(120px, 1fr)',
      cell: (row) => <ThingName kind="channel" id={row.channelId} />,
    },
    {
      head: t.figures.lastDay,
      width: 'minmax(150px, 1fr)',
      cell: (row) => <LastDay of={figures.find(({ webhookId }) => webhookId === row.id)} />,
    },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
  ];
  const make = may('developer') && (
    <HereLink to="/inbound/new" className="button main">
      {t.inbound.make}
    </HereLink>
  );
  return (
    <>
      <Heading title={t.nav.names.inbound}>{make}</Heading>
      <Views page="inbound-webhooks" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          nameFilter(t.common.name),
          { name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) },
        ]}
      />
      <LiveList
        name={t.nav.names.inbound}
        kinds={['webhook']}
        listKey={[path, 'inbound', filter]}
        fetch={async (cursor) => {
          const page = await api.webhooks.list({ ...filter, limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        exported={{ name: 'inbound-webhooks', path: '/v1/webhooks', query: () => filter, at }}
        columns={columns}
        empty={
          FILTERS.every((each) => filter[each] === undefined) ? (
            <Empty title={t.inbound.none}>
              <p>{t.inbound.noneWhy}</p>
              {make}
              <FirstLine of="webhook" />
            </Empty>
          ) : (
            <NoneMatch filters={FILTERS} />
          )
        }
        panel={(id) => <InboundWebhookView id={id} isInPanel />}
        onVisit={(id) => go(`/inbound/${id}`)}
      />
    </>
  );
}

/** Requests of the last day that were taken and refused; nothing for a webhook that had none. */
function LastDay({ of: own }: { of: WebhookStats['webhooks'][number] | undefined }) {
  const t = useTexts();
  if (own === undefined) return null;
  const taken = own.received + own.repeated;
  const number = (value: number): string => value.toLocaleString(t.figures.locale);
  if (taken + own.refused === 0) return <span className="muted">–</span>;
  return (
    <>
      {t.inbound.taken(number(taken))}
      {own.refused > 0 && (
        <>
          {' '}
          <HereLink to={`/inbound/${own.webhookId}`} search={{ outcome: 'refused', since: '24h' }}>
            <State of="failed" word={t.inbound.refused(number(own.refused))} />
          </HereLink>
        </>
      )}
    </>
  );
}
