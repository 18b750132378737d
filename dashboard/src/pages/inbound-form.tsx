import { useState } from 'react';
import { api, type CreateWebhook } from '../api/client.ts';
import { PROVIDER_STEPS } from '../lib/provider-steps.ts';
import { PROVIDERS, type ProviderName } from '../lib/providers.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { ownChannelsOf, targetChannelOf } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { ChannelField } from '../parts/channel-field.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { useGo } from '../parts/link.tsx';
import { NoChannel } from '../parts/no-channel.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { Unread } from '../parts/unread.tsx';
import { useChannels } from '../parts/use-names.ts';

const SCHEMES = ['standard', 'hmac', 'token', 'body'] as const;
type Scheme = (typeof SCHEMES)[number];
const isScheme = (sender: ProviderName | Scheme): sender is Scheme => SCHEMES.some((each) => each === sender);
// `as`: PROVIDERS has no other keys.
const SENDERS = Object.entries(PROVIDERS) as [ProviderName, string][];

/** Makes an address for another service. The service itself decides what else must be said. */
export function NewInboundPage() {
  const t = useTexts();
  const { may } = useHere();
  const channels = useChannels();
  const [search] = useAddress();
  if (!may('developer')) return <NotAllowed />;
  if (channels.isPending || channels.isError) return <Unread of={channels} />;
  const own = ownChannelsOf(channels.all);
  return (
    <>
      <Heading title={t.inbound.make} />
      {own.length === 0 ? <NoChannel /> : <InboundForm first={targetChannelOf(channels.all, search['channel'])} />}
    </>
  );
}

function InboundForm({ first }: { first: string }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [sender, setSender] = useState<ProviderName | Scheme>('github');
  const [channelId, setChannelId] = useState(first);
  const [form, setForm] = useState({ name: '', secret: '', header: '', prefix: '', timestampHeader: '', template: '' });
  const [eventType, setEventType] = useState('');
  const channels = useChannels();
  const own = ownChannelsOf(channels.all);
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const save = (): void => {
    setError(undefined);
    const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value.trim() !== ''));
    const { header, prefix, timestampHeader, template } = given;
    const hasSignature = sender === 'hmac' || sender === 'token';
    const body: CreateWebhook = {
      name: form.name,
      channelId,
      ...(isScheme(sender) ? { scheme: sender } : { provider: sender }),
      ...(given['secret'] !== undefined && { secrets: [given['secret']] }),
      ...(hasSignature && {
        signature: {
          header: header ?? '',
          ...(sender === 'hmac' && {
            ...(prefix !== undefined && { prefix }),
            ...(timestampHeader !== undefined && { timestampHeader }),
            ...(template !== undefined && { template }),
          }),
        },
      }),
      ...(eventType.trim() !== '' && { eventType: { cel: eventType.trim() } }),
    };
    void act(
      async () => {
        const { id } = await api.webhooks.create(body, at);
        await refresh();
        go(`/inbound/${id}`);
      },
      { onFailure: setError },
    );
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <ChoiceField
        label={t.inbound.sender}
        value={sender}
        onChange={setSender}
        options={[...SENDERS, ...SCHEMES.map((each) => [each, t.inbound.schemes[each]] as const)]}
        hint={isScheme(sender) ? t.inbound.schemeHints[sender] : t.inbound.senderHint}
        problem={problemOf(error, 'provider') ?? problemOf(error, 'scheme')}
      />
      <TextField
        label={t.common.name}
        {...field('name')}
        problem={problemOf(error, 'name')}
        isRequired
        hint={t.inbound.nameHint}
      />
      <ChannelField value={channelId} onChange={setChannelId} options={own} problem={problemOf(error, 'channelId')} />
      <TextField
        label={t.inbound.secret}
        {...field('secret')}
        isCode
        hint={
          !isScheme(sender) && PROVIDER_STEPS[sender].isShown
            ? t.inbound.shownHint(PROVIDERS[sender], PROVIDER_STEPS[sender].secret)
            : t.inbound.secretHint
        }
        problem={problemOf(error, 'secrets')}
      />
      {(sender === 'hmac' || sender === 'token') && (
        <TextField
          label={t.inbound.header}
          {...field('header')}
          isCode
          isRequired
          placeholder="X-Signature"
          problem={problemOf(error, 'signature')}
        />
      )}
      {sender === 'hmac' && (
        <>
          <TextField label={t.inbound.prefix} {...field('prefix')} isCode placeholder="sha256=" />
          <TextField label={t.inbound.timestampHeader} {...field('timestampHeader')} isCode />
          <TextField label={t.inbound.template} {...field('template')} isCode placeholder="{timestamp}.{body}" />
        </>
      )}
      <TextField
        label={t.inbound.parts.eventType}
        value={eventType}
        onChange={setEventType}
        isCode
        hint={t.inbound.eventTypeHint}
        problem={problemOf(error, 'eventType')}
      />
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button main">
          {t.inbound.make}
        </button>
      </div>
      <ShellButton />
    </form>
  );
}
