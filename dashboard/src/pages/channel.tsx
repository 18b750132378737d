import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Figures } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { State } from '../parts/state.tsx';
import { TabPanel, Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ChannelSchemas } from './channel-schemas.tsx';
import { ChannelSettings } from './channel-settings.tsx';
import { ChannelTrial } from './channel-trial.tsx';
import { ScheduledMessages } from './scheduled.tsx';
import { SubscriptionList } from './subscriptions.tsx';

/** The fate of a payload that does not fit, in a word. */
export const schemaWord = (
  { schema, schemas, schemaMode }: Channel,
  words: { noSchema: string; enforce: string; warn: string },
): string => {
  // Rows of lists have the mode of their schemas alone.
  const isEmpty = schema === undefined && schemas !== undefined && Object.keys(schemas).length === 0;
  if (schemaMode === undefined || isEmpty) return words.noSchema;
  return schemaMode === 'warn' ? words.warn : words.enforce;
};

const TABS = ['overview', 'schemas', 'trial', 'settings'] as const;

export function ChannelPage() {
  return <ChannelView id={usePathId()} />;
}

export function ChannelView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const chosen = useTab(TABS);
  const found = useQuery({
    queryKey: [path, 'channel', id],
    queryFn: () => api.channels.get(id, at).withAnswer(),
  });
  if (found.data === undefined) return <Unread of={found} />;
  const { data: row, text } = found.data;
  // Nobody changes the channel of the service, or publishes to it.
  const isOwn = !isSystemChannel(row);
  const tab = isInPanel || !isOwn ? 'overview' : chosen;
  return (
    <>
      <Heading title={row.name} isInPanel={isInPanel} />
      <p className="sentence">
        <State of={row.status} /> <span className="muted">{row.description}</span>
      </p>
      <Actions of={row} />
      {!isOwn && <p className="muted">{t.channels.ofService}</p>}
      {!isInPanel && isOwn && <Tabs tabs={TABS} names={t.schemas.tabs} current={tab} />}
      <TabPanel tab={tab} isAlone={isInPanel || !isOwn}>
        {tab === 'overview' && (
          <>
            <dl className="facts">
              <dt>{t.fields.id}</dt>
              <dd className="mono">{row.id}</dd>
              <dt>{t.channels.schema}</dt>
              <dd>{schemaWord(row, t.channels)}</dd>
              <dt>{t.channels.retention}</dt>
              <dd>{t.channels.days(row.retentionDays)}</dd>
              <dt>{t.fields.made}</dt>
              <dd>
                <Time at={row.createdAt} />
              </dd>
            </dl>
            {!isInPanel && <Figures of={{ channelId: id }} />}
            <ScheduledMessages channelId={id} />
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
                <SubscriptionList channelId={id} isOfChannel />
              </section>
            )}
          </>
        )}
        {tab === 'schemas' && <ChannelSchemas key={row.id} channel={row} text={text} />}
        {tab === 'trial' && <ChannelTrial channelId={id} />}
        {tab === 'settings' && <ChannelSettings key={row.id} channel={row} />}
      </TabPanel>
    </>
  );
}

function Actions({ of: row }: { of: Channel }) {
  const { id, name, status } = row;
  const t = useTexts();
  const { at, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [isArchiving, setIsArchiving] = useState(false);
  const typed = environment === 'live' ? name : undefined;
  const change = (next: Channel['status']): void =>
    void act(
      async () => {
        await api.channels.update(id, { status: next }, at);
        await refresh();
      },
      next === 'paused'
        ? { told: t.states.paused, undo: () => api.channels.update(id, { status }, at).then(refresh) }
        : {},
    );
  return (
    <div className="buttons">
      <HereLink to="/messages" search={{ channel: id }} className="button">
        {t.nav.names.messages}
      </HereLink>
      {may('developer') && !isSystemChannel(row) && (
        <>
          <HereLink to="/messages/new" search={{ channel: id }} className="button">
            {t.messages.publish}
          </HereLink>
          <button type="button" className="button" onClick={() => change(status === 'active' ? 'paused' : 'active')}>
            {status === 'active' ? t.channels.pause : t.channels.activate}
          </button>
          {status !== 'archived' && (
            <button type="button" className="button" onClick={() => setIsArchiving(true)}>
              {t.schemas.archive}
            </button>
          )}
          <DeleteButton
            title={t.channels.deleteTitle(name)}
            why={t.channels.deleteWhy}
            typed={typed}
            what={() => api.channels.delete(id, at)}
            to="/channels"
          />
        </>
      )}
      {isArchiving && (
        <Ask
          title={t.schemas.archiveTitle(name)}
          go={t.schemas.archive}
          isDanger
          typed={typed}
          onClose={() => setIsArchiving(false)}
          onGo={() => change('archived')}
        >
          <p>{t.schemas.archiveWhy}</p>
        </Ask>
      )}
    </div>
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
  if (!may('developer')) return <NotAllowed />;
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
        <ShellButton />
      </form>
    </>
  );
}
