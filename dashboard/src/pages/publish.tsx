import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { ownChannelsOf, targetChannelOf } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { timeOfText, type Zone, ZoneContext } from '../lib/times.ts';
import { useActs } from '../parts/acts.tsx';
import { ChannelField } from '../parts/channel-field.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { useGo } from '../parts/link.tsx';
import { NoChannel } from '../parts/no-channel.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { TimeField } from '../parts/time-field.tsx';
import { Unread } from '../parts/unread.tsx';
import { useChannels } from '../parts/use-names.ts';

/** Publishing a message by hand, or a changed copy of one. The payload is sent as it is written. */
export function PublishPage() {
  const { at, path } = useHere();
  const [search] = useAddress();
  const copy = search['copy'] ?? '';
  const original = useQuery({
    queryKey: [path, 'message', copy],
    queryFn: () => api.messages.get(copy, at).withAnswer(),
    enabled: copy !== '',
  });
  const channels = useChannels();
  // Before the form, which asks for the channels too: each of its attempts would put this page back to waiting.
  if (channels.isPending || channels.isError) return <Unread of={channels} />;
  if (copy !== '' && original.data === undefined) return <Unread of={original} />;
  const payload = original.data === undefined ? undefined : memberText(original.data.text, 'payload');
  return (
    <PublishForm
      channelId={targetChannelOf(channels.all, original.data?.data.channelId ?? search['channel'])}
      eventType={original.data?.data.eventType ?? ''}
      deliverAt=""
      publisherId=""
      metadata={original.data === undefined ? '' : (memberText(original.data.text, 'metadata') ?? '')}
      payload={payload === undefined ? '{\n  "number": 1\n}' : prettyText(payload)}
    />
  );
}

type Written = Record<'channelId' | 'eventType' | 'payload' | 'metadata' | 'deliverAt' | 'publisherId', string>;

/** The message as the text of a request. The payload goes as it was written: no number of it is read and written anew. */
function bodyOf({ eventType, payload, metadata, deliverAt, publisherId }: Written, zone: Zone): string {
  const members = [`"eventType":${JSON.stringify(eventType)}`, `"payload":${payload}`];
  if (metadata.trim() !== '') members.push(`"metadata":${metadata}`);
  const at = timeOfText(deliverAt, zone);
  if (at !== undefined) members.push(`"deliverAt":${JSON.stringify(at)}`);
  if (publisherId.trim() !== '') members.push(`"id":${JSON.stringify(publisherId.trim())}`);
  return `{${members.join(',')}}`;
}

function PublishForm(first: Written) {
  const t = useTexts();
  const { at, may, environment } = useHere();
  const { act } = useActs();
  const go = useGo();
  const zone = useContext(ZoneContext);
  const channels = useChannels();
  const [form, setForm] = useState(first);
  const [error, setError] = useState<unknown>();
  const [badJson, setBadJson] = useState<string>();
  const [badMetadata, setBadMetadata] = useState<string>();
  if (!may('developer')) return <NotAllowed />;
  const own = ownChannelsOf(channels.all);
  if (own.length === 0)
    return (
      <>
        <Heading title={t.messages.publish} />
        <NoChannel />
      </>
    );
  const publish = (): void => {
    setError(undefined);
    const problem = jsonProblem(form.payload, t);
    setBadJson(problem);
    const wrong = form.metadata.trim() === '' ? undefined : jsonProblem(form.metadata, t);
    setBadMetadata(wrong);
    if (problem !== undefined || wrong !== undefined) return;
    const body = bodyOf(form, zone);
    void act(
      async () => {
        const { id } = await api.messages.publish(form.channelId, body, at);
        go(`/messages/${id}`);
      },
      { onFailure: setError },
    );
  };
  return (
    <>
      <Heading title={t.messages.publish} />
      {environment === 'live' && <div className="note">{t.messages.toLive}</div>}
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          publish();
        }}
      >
        <ChannelField value={form.channelId} onChange={(channelId) => setForm({ ...form, channelId })} options={own} />
        <TextField
          label={t.fields.eventType}
          value={form.eventType}
          onChange={(eventType) => setForm({ ...form, eventType })}
          hint={t.messages.typeHint}
          problem={problemOf(error, 'eventType')}
          isRequired
          hasFocus={first.channelId !== ''}
        />
        <TextField
          label={t.fields.payload}
          value={form.payload}
          onChange={(payload) => setForm({ ...form, payload })}
          lines={14}
          problem={badJson ?? problemOf(error, 'payload')}
        />
        <TextField
          label={t.more.metadata}
          value={form.metadata}
          onChange={(metadata) => setForm({ ...form, metadata })}
          lines={2}
          hint={t.more.metadataHint}
          problem={badMetadata ?? problemOf(error, 'metadata')}
        />
        <TimeField
          label={t.messages.deliverAt}
          value={form.deliverAt}
          onChange={(deliverAt) => setForm({ ...form, deliverAt })}
          hint={t.messages.deliverAtHint}
          problem={problemOf(error, 'deliverAt')}
        />
        <TextField
          label={t.fields.publisherId}
          value={form.publisherId}
          onChange={(publisherId) => setForm({ ...form, publisherId })}
          hint={t.messages.ownIdHint}
          problem={problemOf(error, 'id')}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.messages.publish}
          </button>
        </div>
        <ShellButton />
      </form>
    </>
  );
}
