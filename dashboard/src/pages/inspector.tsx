import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type InspectedRow, type Inspector } from '../api/client.ts';
import { isJsonText } from '../lib/json-problem.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText } from '../lib/units.ts';
import { Code, JsonText } from '../parts/code.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { InspectorDialog } from '../parts/inspector-dialog.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { Views } from '../parts/views.tsx';
import { Answers } from './inspectors.tsx';

const VERDICTS = ['verified', 'failed', 'unsigned'] as const;
const idOf = ({ id }: InspectedRow): string => id;

/** One inspector: its address, and what arrives there while one looks. */
export function InspectorPage() {
  const id = usePathId();
  const t = useTexts();
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const verdict = oneOf(search['verdict'], VERDICTS);
  const found = useQuery({ queryKey: [path, 'inspector', id], queryFn: () => api.inspectors.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const columns: readonly Column<InspectedRow>[] = [
    { head: t.inspect.arrived, width: '190px', cell: (row) => <Time at={row.arrivedAt} /> },
    { head: t.inspect.signature, width: '150px', cell: (row) => <Verdict of={row} /> },
    { head: t.inspect.method, width: '90px', cell: (row) => <span className="mono">{row.method}</span> },
    {
      head: t.inspect.path,
      width: 'minmax(140px, 1fr)',
      cell: (row) => (
        <span className="mono" title={row.path}>
          {row.path}
        </span>
      ),
    },
    {
      head: t.inspect.answered,
      width: '150px',
      cell: ({ answer }) => t.inspect.answeredLate(answer.status, answer.delayMs),
    },
    { head: t.fields.size, width: '90px', isNumber: true, cell: (row) => bytesText(row.bytes, t.units) },
  ];
  return (
    <>
      <Heading title={found.data.name}>{may('developer') && <Actions of={found.data} />}</Heading>
      <div className="field">
        <span className="label">{t.inspect.url}</span>
        <Code text={found.data.url} label={t.inspect.url} />
        <div className="hint">{t.inspect.urlHint}</div>
      </div>
      <p className="sentence">
        <Answers of={found.data} />
      </p>
      <section className="section" aria-label={t.inspect.requests}>
        <h2>{t.inspect.requests}</h2>
        <Views page="inspected-requests" filters={['verdict']} own={[]} />
        <Filters
          filters={[
            {
              name: 'verdict',
              label: t.inspect.signature,
              options: VERDICTS.map((each) => [each, t.inspect.verdicts[each]]),
              failure: 'failed',
            },
          ]}
        />
        <LiveList
          name={t.inspect.requests}
          listKey={[path, 'inspected', id, verdict]}
          ofId={id}
          fetch={(cursor) => api.inspectors.listRequests(id, { verdict, limit: 100, cursor }, at).page()}
          idOf={idOf}
          exported={{
            name: 'inspected-requests',
            path: `/v1/inspectors/${id}/requests`,
            query: () => ({ verdict }),
            at,
          }}
          columns={columns}
          empty={
            verdict === undefined ? (
              <Empty title={t.inspect.noRequest}>
                <p>{t.inspect.noRequestWhy}</p>
                <Code text={`curl -d '{"hello": "world"}' ${found.data.url}`} label="curl" />
              </Empty>
            ) : (
              <NoneMatch filters={['verdict']} />
            )
          }
          panel={(requestId) => <RequestView id={requestId} />}
        />
      </section>
    </>
  );
}

function Actions({ of: row }: { of: Inspector }) {
  const t = useTexts();
  const { at, environment } = useHere();
  const refresh = useRefresh();
  const [isChanging, setIsChanging] = useState(false);
  return (
    <>
      <HereLink to="/subscriptions/new" search={{ target: row.url }} className="button main">
        {t.inspect.useAsTarget}
      </HereLink>
      <button type="button" className="button" onClick={() => setIsChanging(true)}>
        {t.inspect.answer}
      </button>
      <AskButton
        label={t.inspect.clear}
        title={t.ask.forgetTitle(row.name)}
        why={t.ask.forgetWhy}
        name={row.name}
        told={t.inspect.cleared}
        what={async () => {
          await api.inspectors.clearRequests(row.id, at);
          await refresh();
        }}
      />
      <DeleteButton
        title={t.inspect.deleteTitle(row.name)}
        why={t.inspect.deleteWhy}
        typed={environment === 'live' ? row.name : undefined}
        what={() => api.inspectors.delete(row.id, at)}
        to="/inspect"
      />
      {isChanging && <InspectorDialog inspector={row} onClose={() => setIsChanging(false)} />}
    </>
  );
}

const LOOKS = { verified: 'delivered', failed: 'failed', unsigned: 'pending' } as const;

function Verdict({ of: { signature } }: { of: InspectedRow }) {
  const t = useTexts();
  return <State of={LOOKS[signature.verdict]} word={t.inspect.verdicts[signature.verdict]} />;
}

/** One request as it arrived: the verdict on its signature, headers and the exact body. */
function RequestView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'inspected request', id],
    queryFn: () => api.inspectors.getRequest(id, at),
    // A kept request never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const { verdict, reason, messageId, subscriptionId } = row.signature;
  return (
    <>
      <Heading title={`${row.method} ${row.path}`} isMono isInPanel />
      <p className="sentence">
        <Verdict of={row} />{' '}
        {verdict === 'failed' ? t.inspect.reasons[reason ?? 'signature_differs'] : t.inspect.means[verdict]}
      </p>
      <dl className="facts">
        <dt>{t.inspect.arrived}</dt>
        <dd>
          <Time at={row.arrivedAt} />
        </dd>
        <dt>{t.inspect.answered}</dt>
        <dd>{t.inspect.answeredLate(row.answer.status, row.answer.delayMs)}</dd>
        {messageId !== undefined && (
          <>
            <dt>{t.fields.message}</dt>
            <dd>
              <HereLink to={`/messages/${messageId}`} className="mono">
                {messageId}
              </HereLink>
            </dd>
          </>
        )}
        {subscriptionId !== undefined && (
          <>
            <dt>{t.fields.subscription}</dt>
            <dd>
              <HereLink to={`/subscriptions/${subscriptionId}`}>
                <ThingName kind="subscription" id={subscriptionId} />
              </HereLink>
            </dd>
          </>
        )}
        <dt>{t.fields.size}</dt>
        <dd>{bytesText(row.bytes, t.units)}</dd>
      </dl>
      <section className="section">
        <h3>{t.inspect.body}</h3>
        <Body of={row} />
      </section>
      <section className="section">
        <h3>{t.inspect.headers}</h3>
        <dl className="facts">
          {/* A name may stand there several times: a header has no other key than its place. */}
          {row.headers.map(({ name, value }, position) => [
            <dt key={`${position} name`} className="mono">
              {name}
            </dt>,
            <dd key={position} className="mono">
              {value}
            </dd>,
          ])}
        </dl>
      </section>
    </>
  );
}

function Body({ of: row }: { of: { body: string; bytes: number; encoding: 'text' | 'base64'; isCut: boolean } }) {
  const t = useTexts();
  if (row.bytes === 0) return <p className="muted">{t.inspect.noBody}</p>;
  const isJson = row.encoding === 'text' && !row.isCut && isJsonText(row.body);
  return (
    <>
      {row.encoding === 'base64' && <p className="muted">{t.inspect.base64}</p>}
      {row.isCut && <p className="muted">{t.inspect.isCut(bytesText(row.bytes, t.units))}</p>}
      {isJson ? <JsonText json={row.body} label={t.inspect.body} /> : <Code text={row.body} label={t.inspect.body} />}
    </>
  );
}
