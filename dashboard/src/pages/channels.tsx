import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { Filters } from '../parts/filters.tsx';
import { Figures } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ScheduledMessages } from './scheduled.tsx';
import { SubscriptionList } from './subscriptions.tsx';

const STATUSES = ['active', 'paused', 'archived'] as const;
const idOf = ({ id }: Channel): string => id;

export function ChannelsPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const status = oneOf(search['status'], STATUSES);
  const columns: readonly Column<Channel>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    {
      head: t.common.name,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <HereLink to={`/channels/${row.id}`}>{row.name}</HereLink>,
    },
    { head: t.fields.id, width: 'minmax(160px, 1fr)', cell: (row) => <span className="mono">{row.id}</span> },
    { head: t.channels.schema, width: '120px', cell: (row) => schemaWord(row, t.channels) },
    { head: t.channels.retention, width: '96px', isNumber: true, cell: (row) => t.channels.days(row.retentionDays) },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
  ];
  return (
    <>
      <Heading title={t.nav.names.channels}>
        {may('developer') && (
          <HereLink to="/channels/new" className="button main">
            {t.channels.make}
          </HereLink>
        )}
      </Heading>
      <Filters
        filters={[{ name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) }]}
      />
      <LiveList
        name={t.nav.names.channels}
        kinds={['channel']}
        listKey={[path, 'channels', status]}
        fetch={(cursor) => api.channels.list({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={columns}
        empty={
          <Empty title={status === undefined ? t.channels.none : t.list.noneMatch}>
            <p>{t.channels.noneWhy}</p>
            {may('developer') && (
              <HereLink to="/channels/new" className="button main">
                {t.channels.make}
              </HereLink>
            )}
          </Empty>
        }
        panel={(id) => <ChannelView id={id} isInPanel />}
        onVisit={(id) => go(`/channels/${id}`)}
      />
    </>
  );
}

const schemaWord = (
  { schema, schemas, schemaMode }: Channel,
  words: { noSchema: string; enforce: string; warn: string },
): string => {
  if (schema === undefined && Object.keys(schemas ?? {}).length === 0) return words.noSchema;
  return schemaMode === 'warn' ? words.warn : words.enforce;
};

export function ChannelPage() {
  return <ChannelView id={usePathId()} />;
}

function ChannelView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const found = useQuery({ queryKey: [path, 'channel', id], queryFn: () => api.channels.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const change = (status: 'active' | 'paused'): void =>
    void act(async () => {
      await api.channels.update(id, { status }, at);
      await refresh();
    });
  return (
    <>
      <Heading title={row.name} isInPanel={isInPanel} />
      <p className="sentence">
        <State of={row.status} /> <span className="muted">{row.description}</span>
      </p>
      <div className="buttons">
        <HereLink to="/messages" search={{ channel: id }} className="button">
          {t.nav.names.messages}
        </HereLink>
        {may('developer') && (
          <>
            <HereLink to="/messages/new" search={{ channel: id }} className="button">
              {t.messages.publish}
            </HereLink>
            <button
              type="button"
              className="button"
              onClick={() => change(row.status === 'active' ? 'paused' : 'active')}
            >
              {row.status === 'active' ? t.channels.pause : t.channels.activate}
            </button>
            <DeleteButton
              title={t.channels.deleteTitle(row.name)}
              why={t.channels.deleteWhy}
              typed={environment === 'live' ? row.name : undefined}
              what={() => api.channels.delete(id, at)}
              to="/channels"
            />
          </>
        )}
      </div>
      <dl className="facts">
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.channels.retention}</dt>
        <dd>{t.channels.days(row.retentionDays)}</dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
      </dl>
      {!isInPanel && <Figures of={{ channelId: id }} />}
      <ScheduledMessages channelId={id} />
      <SchemaEditor key={row.updatedAt} channel={row} />
      {!isInPanel && (
        <section className="section">
          <div className="heading">
            <h2>{t.nav.names.subscriptions}</h2>
            {may('developer') && (
              <HereLink to="/subscriptions/new" search={{ channel: id }} className="button">
                {t.subscriptions.make}
              </HereLink>
            )}
          </div>
          <SubscriptionList channelId={id} />
        </section>
      )}
    </>
  );
}

/** The schema of every type of the channel that has none of its own. */
function SchemaEditor({ channel }: { channel: Channel }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const stored = channel.schema === undefined ? '' : JSON.stringify(channel.schema, null, 2);
  const [text, setText] = useState(stored);
  const [mode, setMode] = useState(channel.schemaMode ?? 'enforce');
  const [error, setError] = useState<unknown>();
  if (!may('developer')) return stored === '' ? null : <pre className="box">{stored}</pre>;
  const save = (): void => {
    setError(undefined);
    // The schema goes as the text that was written.
    const body = `{"schemaMode":"${mode}","schema":${text.trim() === '' ? 'null' : text}}`;
    try {
      JSON.parse(body);
    } catch (failure) {
      return setError(failure);
    }
    void act(
      async () => {
        await api.channels.update(channel.id, body, at);
        await refresh();
      },
      { told: t.common.saved, onFailure: setError },
    );
  };
  return (
    <section className="section">
      <h2>{t.channels.schema}</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label={t.channels.schemaText}
          value={text}
          onChange={setText}
          lines={10}
          hint={t.channels.schemaHint}
          problem={problemOf(error, 'schema')}
        />
        <ChoiceField
          label={t.channels.mode}
          value={mode}
          onChange={setMode}
          options={[
            ['enforce', t.channels.enforce],
            ['warn', t.channels.warn],
          ]}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button">
            {t.common.save}
          </button>
        </div>
      </form>
    </section>
  );
}

export function NewChannelPage() {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  if (!may('developer')) return <p>{t.common.notAllowed}</p>;
  return (
    <>
      <Heading title={t.channels.make} />
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void act(
            async () => {
              const { id } = await api.channels.create({ name }, at);
              await refresh();
              go(`/channels/${id}`);
            },
            { onFailure: setError },
          );
        }}
      >
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          hint={t.channels.nameHint}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.channels.make}
          </button>
        </div>
      </form>
    </>
  );
}
