import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Subscription } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { firstChannelOf } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { FilterTester } from '../parts/filter-tester.tsx';
import { FoundField } from '../parts/found-choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { useGo } from '../parts/link.tsx';
import { NoChannel } from '../parts/no-channel.tsx';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { changedMore, MoreFields, moreOf, newMore } from '../parts/subscription-more.tsx';
import { Unread } from '../parts/unread.tsx';
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
          channelId={search['channel'] ?? firstChannelOf(channels.all)}
          target={search['target'] ?? ''}
          type={search['type'] ?? ''}
          policy={app.data.settings.retryPolicy}
        />
      )}
    </>
  );
}

type Policy = Subscription['retryPolicy'];
type Given =
  | { subscription: Subscription; channelId?: never; target?: never; type?: never; policy?: never }
  | { subscription?: never; channelId: string; target: string; type: string; policy: Policy };

/** Makes a subscription, or changes one. */
export function SubscriptionForm({
  subscription,
  channelId: first = '',
  target = '',
  type = '',
  policy: usual,
}: Given) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const channels = useChannels();
  const [error, setError] = useState<unknown>();
  const [channelId, setChannelId] = useState(subscription?.channelId ?? first);
  const [form, setForm] = useState({
    name: subscription?.name ?? '',
    webhookUrl: subscription?.webhookUrl ?? target,
    eventTypes: subscription?.eventTypes.join(', ') ?? type,
    filter: subscription?.filter ?? '',
  });
  const [policy, setPolicy] = useState<Policy>(subscription === undefined ? usual : subscription.retryPolicy);
  const [more, setMore] = useState(() => moreOf(subscription));
  const [isPolicyChosen, setIsPolicyChosen] = useState(false);
  if (!may('developer')) return <NotAllowed isPart={subscription !== undefined} />;
  const set = (part: Partial<typeof form>): void => setForm({ ...form, ...part });
  const setNumber = (part: Partial<typeof policy>): void => {
    setPolicy({ ...policy, ...part });
    setIsPolicyChosen(true);
  };
  const body = {
    webhookUrl: form.webhookUrl,
    eventTypes: form.eventTypes
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== ''),
    ...(form.name.trim() !== '' && { name: form.name.trim() }),
    ...(isPolicyChosen && { retryPolicy: policy }),
  };
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        if (subscription === undefined) {
          const made = await api.subscriptions.create(
            { ...body, ...newMore(more), channelId, ...(form.filter.trim() !== '' && { filter: form.filter }) },
            at,
          );
          go(`/subscriptions/${made.id}`);
        } else {
          await api.subscriptions.update(
            subscription.id,
            { ...body, ...changedMore(more, subscription), filter: form.filter.trim() === '' ? null : form.filter },
            at,
          );
        }
        await refresh();
      },
      { ...(subscription !== undefined && { told: t.common.saved }), onFailure: setError },
    );
  };
  const numbers = ['maxRetries', 'initialDelay', 'maxDelay', 'backoffMultiplier'] as const;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {subscription === undefined && (
        <FoundField
          kind="channel"
          isMore={channels.isFull}
          label={t.fields.channel}
          value={channelId}
          onChange={setChannelId}
          options={channels.choices}
          problem={problemOf(error, 'channelId')}
        />
      )}
      <TextField
        label={t.subscriptions.target}
        type="url"
        value={form.webhookUrl}
        onChange={(webhookUrl) => set({ webhookUrl })}
        hint={t.subscriptions.targetHint}
        problem={problemOf(error, 'webhookUrl')}
        placeholder="https://"
        isRequired
        hasFocus={subscription === undefined}
      />
      <TextField
        label={t.subscriptions.nameLabel}
        value={form.name}
        onChange={(name) => set({ name })}
        {...(subscription === undefined && { hint: t.subscriptions.nameHint })}
        problem={problemOf(error, 'name')}
      />
      <TextField
        label={t.subscriptions.types}
        value={form.eventTypes}
        onChange={(eventTypes) => set({ eventTypes })}
        hint={t.subscriptions.typesHint}
        problem={problemOf(error, 'eventTypes')}
      />
      <TextField
        label={t.subscriptions.filter}
        value={form.filter}
        onChange={(filter) => set({ filter })}
        hint={t.subscriptions.filterHint}
        problem={problemOf(error, 'filter')}
        isCode
      />
      {form.filter.trim() !== '' && <FilterTester channelId={channelId} filter={form.filter} />}
      <fieldset className="form box">
        <legend>{t.subscriptions.policy}</legend>
        <div className="numbers">
          {numbers.map((name) => (
            <TextField
              key={name}
              label={t.subscriptions.policyFields[name]}
              type="number"
              value={String(policy[name])}
              onChange={(text) => setNumber({ [name]: Number(text) })}
              problem={problemOf(error, `retryPolicy.${name}`)}
            />
          ))}
        </div>
        <PolicyDrawing policy={policy} />
        {subscription === undefined && !isPolicyChosen && <p className="muted">{t.subscriptions.defaultPolicy}</p>}
      </fieldset>
      <MoreFields more={more} onChange={setMore} error={error} isNew={subscription === undefined} />
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
