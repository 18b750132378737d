import { Hash } from 'lucide-react';
import { useState } from 'react';
import { api, type CreateWebhook } from '../../api/client.ts';
import { PROVIDER_STEPS } from '../../lib/provider-steps.ts';
import { PROVIDERS } from '../../lib/providers.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { ownChannelsOf } from '../../lib/system-channel.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { useGo } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { useChannels } from '../../parts/use-names.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/layout.tsx';
import { isScheme, type ProviderChoice, senderName } from './provider-grid.tsx';

/** Maps fields in the service's errors to fields of the form. */
const FIELDS = ['name', 'channelId', 'secrets', 'signature', 'eventType'];

/** What Posthorn needs to know about a sender. Known services need only a name and a channel. */
export function WebhookForm({
  sender,
  first,
  onCancel,
}: {
  sender: ProviderChoice;
  first: string;
  onCancel: () => void;
}) {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const channels = useChannels();
  const [channelId, setChannelId] = useState(first);
  const [form, setForm] = useState({ name: '', secret: '', header: '', prefix: '', timestampHeader: '', template: '' });
  const [eventType, setEventType] = useState('');
  const [hasNoChannel, setHasNoChannel] = useState(false);
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const hasSignature = sender === 'hmac' || sender === 'token';
  const create = (): void => {
    setError(undefined);
    setHasNoChannel(channelId === '');
    if (channelId === '') return;
    const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value.trim() !== ''));
    const { header, prefix, timestampHeader, template, secret } = given;
    const body: CreateWebhook = {
      name: form.name,
      channelId,
      ...(isScheme(sender) ? { scheme: sender } : { provider: sender }),
      ...(secret !== undefined && { secrets: [secret] }),
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
  const request = useRequestToggle(create);
  const isShownThere = !isScheme(sender) && PROVIDER_STEPS[sender].isShown;
  const isAtField = FIELDS.some((name) => problemOf(error, name) !== undefined);
  return (
    <form
      className="flex max-w-140 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <TextField
        label="Name"
        {...field('name')}
        placeholder={isScheme(sender) ? 'Orders' : senderName(sender)}
        error={problemOf(error, 'name')}
        isRequired
        hasFocus
      />
      <FoundSelectField
        kind="channel"
        label="Channel"
        icon={Hash}
        known={ownChannelsOf(channels.all)}
        isMore={channels.isFull}
        value={channelId}
        onChange={setChannelId}
        placeholder="Choose a channel"
        hint="Verified requests become messages of this channel"
        error={hasNoChannel && channelId === '' ? 'Choose a channel' : problemOf(error, 'channelId')}
      />
      <TextField
        label="Signing secret"
        {...field('secret')}
        isMono
        placeholder={isShownThere ? 'Add it later' : 'Generated'}
        hint={
          isShownThere
            ? `${PROVIDERS[sender]} shows it as “${PROVIDER_STEPS[sender].secret}”, often once it has the URL. Until then its requests get 503 and are retried.`
            : "Paste the provider's secret, or leave blank to generate one"
        }
        error={problemOf(error, 'secrets')}
      />
      {hasSignature && (
        <TextField
          label="Signature header"
          {...field('header')}
          isMono
          isRequired
          placeholder="X-Signature"
          error={problemOf(error, 'signature')}
        />
      )}
      {sender === 'hmac' && (
        <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
          <TextField label="Signature prefix" {...field('prefix')} isMono placeholder="sha256=" />
          <TextField label="Timestamp header" {...field('timestampHeader')} isMono placeholder="None" />
          <div className="md:col-span-2">
            <TextField
              label="Signed content"
              {...field('template')}
              isMono
              placeholder="{body}"
              hint="Placeholders: {timestamp}, {id}, {url} and {body}"
            />
          </div>
        </div>
      )}
      <Fold title="Event type" note={eventType === '' ? 'As the provider sends it' : eventType}>
        <TextField
          label="Event type"
          isMono
          value={eventType}
          onChange={setEventType}
          placeholder="As the provider sends it"
          hint="CEL expression, for example payload.kind, or a text in quotes"
          error={problemOf(error, 'eventType')}
        />
      </Fold>
      {!isAtField && <FailureNote error={error} />}
      {request.lines}
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        {request.button}
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit">
          Create inbound webhook
        </Button>
      </div>
    </form>
  );
}
