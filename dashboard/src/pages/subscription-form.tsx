import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api, type App, type Subscription } from '../api/client.ts';
import { fieldNames } from '../lib/edits.ts';
import { useRefresh } from '../lib/refresh.ts';
import { changedPolicy, POLICY_NUMBERS, policyAmong } from '../lib/retry-policy.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { onlyChannelOf } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { ZoneContext } from '../lib/times.ts';
import { useActs } from '../parts/acts.tsx';
import { ChannelField } from '../parts/channel-field.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { FilterTester } from '../parts/filter-tester.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { useGo } from '../parts/link.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { NoChannel } from '../parts/no-channel.tsx';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { changedMore, MoreFields, moreOf, newMore } from '../parts/subscription-more.tsx';
import { Unread } from '../parts/unread.tsx';
import { useEdits } from '../parts/use-edits.ts';
import { useChannels } from '../parts/use-names.ts';

export function NewSubscriptionPage() {
  const t = useTexts();
  const { may } = useHere();
  const channels = useChannels();
  const [search] = useAddress();
  const { at, app: here } = useHere();
  // The policy that holds where no number is changed.
  const app = useQuery({ queryKey: ['app', here.id], queryFn: () => api.apps.get(here.id, at) });
  if (!may('developer')) return <NotAllowed />;
  if (channels.isPending || channels.isError) return <Unread of={channels} />;
  if (app.data === undefined) return <Unread of={app} />;
  return (
    <>
      <Heading title={t.subscriptions.make} />
      {channels.all.length === 0 ? (
        <NoChannel />
      ) : (
        <SubscriptionForm
          channelId={search['channel'] ?? onlyChannelOf(channels.all)}
          target={search['target'] ?? ''}
          type={search['type'] ?? ''}
          settings={app.data.settings}
        />
      )}
    </>
  );
}

type Settings = App['settings'];
type Given =
  | { subscription: Subscription; channelId?: never; target?: never; type?: never; settings?: never }
  | { subscription?: never; channelId: string; target: string; type: string; settings: Settings };

const fieldsOf = (of: Subscription) => ({
  name: of.name,
  webhookUrl: of.webhookUrl,
  eventTypes: of.eventTypes.join(', '),
  filter: of.filter ?? '',
  ...of.retryPolicy,
  ...moreOf(of),
});

const emptyFields = ({ retryPolicy, circuitBreaker }: Settings, webhookUrl: string, eventTypes: string) => ({
  name: '',
  webhookUrl,
  eventTypes,
  filter: '',
  ...retryPolicy,
  ...moreOf(undefined, circuitBreaker),
});

const typesIn = (text: string): string[] =>
  text
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');

/** Makes a subscription, or changes one. */
export function SubscriptionForm({ subscription, channelId: first = '', target = '', type = '', settings }: Given) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const zone = useContext(ZoneContext);
  const go = useGo();
  const refresh = useRefresh();
  const channels = useChannels();
  const [error, setError] = useState<unknown>();
  const [channelId, setChannelId] = useState(subscription?.channelId ?? first);
  // A new one begins with the app's choices, as they are when its form is opened.
  const [begun] = useState(() =>
    subscription === undefined ? emptyFields(settings, target, type) : fieldsOf(subscription),
  );
  const edits = useEdits(subscription === undefined ? begun : fieldsOf(subscription));
  if (!may('developer')) return <NotAllowed isPart={subscription !== undefined} />;
  const { values, written, write } = edits;
  const policy = policyAmong(values);
  const retryPolicy = changedPolicy(written, values);
  const make = (): void => {
    let hasReplay = false;
    void act(
      async () => {
        const made = await api.subscriptions.create(
          {
            channelId,
            webhookUrl: values.webhookUrl,
            eventTypes: typesIn(values.eventTypes),
            ...(values.name.trim() !== '' && { name: values.name.trim() }),
            ...(values.filter.trim() !== '' && { filter: values.filter }),
            ...(retryPolicy !== undefined && { retryPolicy: policy }),
            ...newMore(written, zone),
          },
          at,
        );
        hasReplay = made.replayId !== undefined;
        go(`/subscriptions/${made.id}`);
        await refresh();
      },
      { told: () => (hasReplay ? t.more.replayBegun : undefined), onFailure: setError },
    );
  };
  const changed = {
    ...(written.webhookUrl !== undefined && { webhookUrl: written.webhookUrl }),
    ...(written.eventTypes !== undefined && { eventTypes: typesIn(written.eventTypes) }),
    // A subscription has a name: one that is emptied is refused at its field.
    ...(written.name !== undefined && { name: written.name.trim() }),
    ...(written.filter !== undefined && { filter: written.filter.trim() === '' ? null : written.filter }),
    ...(retryPolicy !== undefined && { retryPolicy }),
    ...changedMore(written),
  };
  const change = ({ id }: Subscription): void =>
    edits.save({
      names: fieldNames({ ...written, ...retryPolicy }),
      read: async () => fieldsOf(await api.subscriptions.get(id, at)),
      send: async () => fieldsOf(await api.subscriptions.update(id, changed, at)),
      refresh,
      onFailure: setError,
    });
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        if (subscription === undefined) make();
        else change(subscription);
      }}
    >
      {subscription === undefined && (
        <ChannelField
          value={channelId}
          onChange={setChannelId}
          options={channels.choices}
          problem={problemOf(error, 'channelId')}
        />
      )}
      <TextField
        label={t.subscriptions.target}
        type="url"
        value={values.webhookUrl}
        onChange={(webhookUrl) => write({ webhookUrl })}
        hint={t.subscriptions.targetHint}
        problem={problemOf(error, 'webhookUrl')}
        placeholder="https://"
        isRequired
        hasFocus={subscription === undefined && first !== ''}
      />
      <TextField
        label={t.subscriptions.nameLabel}
        value={values.name}
        onChange={(name) => write({ name })}
        {...(subscription === undefined && { hint: t.subscriptions.nameHint })}
        problem={problemOf(error, 'name')}
      />
      <TextField
        label={t.subscriptions.types}
        value={values.eventTypes}
        onChange={(eventTypes) => write({ eventTypes })}
        hint={t.subscriptions.typesHint}
        problem={problemOf(error, 'eventTypes')}
      />
      <TextField
        label={t.subscriptions.filter}
        value={values.filter}
        onChange={(filter) => write({ filter })}
        hint={t.subscriptions.filterHint}
        problem={problemOf(error, 'filter')}
        isCode
      />
      {channelId !== '' && values.filter.trim() !== '' && <FilterTester channelId={channelId} filter={values.filter} />}
      <fieldset className="form box">
        <legend>{t.subscriptions.policy}</legend>
        <div className="numbers">
          {POLICY_NUMBERS.map((name) => (
            <TextField
              key={name}
              label={t.subscriptions.policyFields[name]}
              type="number"
              value={String(policy[name])}
              onChange={(text) => write({ [name]: Number(text) })}
              problem={problemOf(error, `retryPolicy.${name}`)}
            />
          ))}
        </div>
        <PolicyDrawing policy={policy} />
        {subscription === undefined && retryPolicy === undefined && (
          <p className="muted">{t.subscriptions.defaultPolicy}</p>
        )}
      </fieldset>
      <MoreFields more={values} onChange={write} error={error} isNew={subscription === undefined} />
      {subscription !== undefined && (
        <NewerState
          edits={edits}
          at={subscription.updatedAt}
          names={{
            name: t.subscriptions.nameLabel,
            webhookUrl: t.subscriptions.target,
            eventTypes: t.subscriptions.types,
            filter: t.subscriptions.filter,
            ...t.subscriptions.policyFields,
            ...t.more.labels,
          }}
        />
      )}
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button main">
          {subscription === undefined ? t.subscriptions.make : t.common.save}
        </button>
      </div>
      <ShellButton />
    </form>
  );
}
