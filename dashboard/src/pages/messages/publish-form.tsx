import { useQuery } from '@tanstack/react-query';
import { Hash } from 'lucide-react';
import { useContext, useRef, useState } from 'react';
import { api, isApiError } from '../../api/client.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { memberText, memberTexts, prettyText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { ownChannelsOf } from '../../lib/system-channel.ts';
import { useZoneName, ZoneContext } from '../../lib/times.ts';
import { isAtClockChange, timeOfText, type Zone } from '../../lib/zone-times.ts';
import { useActs } from '../../parts/acts.tsx';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { useGo } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useChannels } from '../../parts/use-names.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { CodeEditor, type CodeEditorHandle } from '../../ui/code/code-editor.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { CancelButton, Drawer } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/layout.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { Recipients } from './recipients.tsx';
import { useDryRun } from './use-dry-run.ts';

type Form = Record<'channelId' | 'eventType' | 'payload' | 'metadata' | 'deliverAt' | 'publisherId', string>;
type Problems = Partial<Record<keyof Form, string>>;

/** How many of the newest messages event types are suggested from. */
const NEWEST = 100;

/**
 * Returns the message as the text of a request. The payload is sent exactly as it was entered, so that no number is
 * parsed and rewritten.
 */
function bodyOf({ eventType, payload, metadata, deliverAt, publisherId }: Form, zone: Zone): string {
  const members = [`"eventType":${JSON.stringify(eventType)}`, `"payload":${payload}`];
  if (metadata.trim() !== '') members.push(`"metadata":${metadata}`);
  const at = timeOfText(deliverAt, zone);
  if (at !== undefined) members.push(`"deliverAt":${JSON.stringify(at)}`);
  if (publisherId.trim() !== '') members.push(`"id":${JSON.stringify(publisherId.trim())}`);
  return `{${members.join(',')}}`;
}

/** Maps fields of the form to fields of the API. */
const NAMES: Readonly<Record<keyof Form, string>> = {
  channelId: 'channelId',
  eventType: 'eventType',
  payload: 'payload',
  metadata: 'metadata',
  deliverAt: 'deliverAt',
  publisherId: 'id',
};

/** The form for a new message, and who will receive it. */
export function PublishForm({ first, onClose }: { first: Form; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const go = useGo();
  const zone = useContext(ZoneContext);
  const zoneName = useZoneName(timeOfText(first.deliverAt, zone));
  const channels = useChannels();
  const editor = useRef<CodeEditorHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const [firstFocus] = useState(() => ({
    // The first empty field.
    get current(): HTMLElement | null {
      return (
        box.current?.querySelector<HTMLElement>(
          first.channelId === '' ? 'button' : 'input:not([type=hidden], [aria-hidden=true])',
        ) ?? null
      );
    },
  }));
  const [form, setForm] = useState(first);
  const [error, setError] = useState<unknown>();
  const [problems, setProblems] = useState<Problems>({});
  const channel = useChannelDefinition(form.channelId);
  const types = useEventTypes(form.channelId, Object.keys(channel.schemas));
  const syntax = jsonSyntax(form.payload);
  const isMetadata = form.metadata.trim() === '' || jsonSyntax(form.metadata) === undefined;
  const isWhole = form.channelId !== '' && form.eventType.trim() !== '' && syntax === undefined && isMetadata;
  const dryRun = useDryRun(isWhole ? { ...form, eventType: form.eventType.trim() } : undefined);
  const set = (part: Partial<Form>): void => {
    // The editor may still hold the callback of an earlier render.
    setForm((before) => ({ ...before, ...part }));
    setProblems({});
    setError(undefined);
  };
  const problem = (name: keyof Form): string | undefined => problems[name] ?? problemOf(error, NAMES[name]);
  const publish = (): void => {
    setError(undefined);
    const wrong = problemsOf(form);
    setProblems(wrong);
    if (wrong.payload !== undefined) editor.current?.focus();
    if (Object.keys(wrong).length > 0) return;
    const body = bodyOf(form, zone);
    void act(
      async () => {
        const { id } = await api.messages.publish(form.channelId, body, at);
        go(`/messages/${id}`);
      },
      { onFailure: setError },
    );
  };
  const request = useRequestDialog(publish);
  const schema = channel.schemas[form.eventType.trim()] ?? channel.schema;
  const isShownAtField = isApiError(error) && Object.values(NAMES).some((name) => problemOf(error, name) !== undefined);
  const deliverAt = timeOfText(form.deliverAt, zone);
  const isUnclear = deliverAt !== undefined && isAtClockChange(form.deliverAt, deliverAt, zone);
  return (
    <Drawer
      title="Publish message"
      environment={environment}
      size="wide"
      onClose={onClose}
      firstFocus={firstFocus}
      onSubmit={publish}
      actions={
        <>
          {request.button}
          <CancelButton />
          <Button look="primary" type="submit">
            Publish message
          </Button>
        </>
      }
    >
      <div ref={box} className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_380px]">
        <div className="flex min-w-0 flex-col gap-4">
          {environment === 'live' && (
            <Note kind="warning">You are in Live. Matching subscriptions will receive this message.</Note>
          )}
          <FoundSelectField
            kind="channel"
            label="Channel"
            icon={Hash}
            known={ownChannelsOf(channels.all)}
            isMore={channels.isFull}
            value={form.channelId}
            onChange={(channelId) => set({ channelId })}
            placeholder="Choose a channel"
            error={problem('channelId')}
          />
          <SuggestField
            label="Event type"
            value={form.eventType}
            onChange={(eventType) => set({ eventType })}
            known={types}
            isMono
            placeholder="order.created"
            error={problem('eventType')}
          />
          <CodeEditor
            ref={editor}
            label="Payload"
            language="json"
            value={form.payload}
            onChange={(payload) => set({ payload })}
            minLines={10}
            error={problem('payload')}
            problems={syntax === undefined ? (dryRun.data?.problems ?? []) : [syntax]}
            beside={
              form.channelId !== '' && (
                <RecentPayload
                  channelId={form.channelId}
                  eventType={form.eventType.trim()}
                  onTake={(payload) => set({ payload })}
                />
              )
            }
          />
          <Fold title="Options" note={noteOf(form)} isOpen={first.metadata !== '' || first.deliverAt !== ''}>
            <div className="flex flex-col gap-4">
              <CodeEditor
                label="Metadata"
                language="json"
                value={form.metadata}
                onChange={(metadata) => set({ metadata })}
                minLines={2}
                hasLineNumbers={false}
                hint='Texts by their names, for example {"region": "eu"}. Filters see them, and payload schemas do not.'
                placeholder="None"
                error={problem('metadata')}
              />
              <TextField
                label={`Scheduled for (${zoneName})`}
                type="datetime-local"
                step={1}
                value={form.deliverAt}
                onChange={(text) => set({ deliverAt: text })}
                hint={
                  isUnclear
                    ? 'Clocks change around this time. Posthorn takes the time that the browser reads.'
                    : 'Up to a year ahead. Leave empty to publish now.'
                }
                error={problem('deliverAt')}
              />
              <TextField
                label="External ID"
                value={form.publisherId}
                onChange={(publisherId) => set({ publisherId })}
                placeholder="None"
                hint="Messages with the same ID within 24 hours are stored once"
                isMono
                error={problem('publisherId')}
              />
            </div>
          </Fold>
          {!isShownAtField && <FailureNote error={error} />}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Recipients
            of={dryRun.data?.routes}
            error={dryRun.error}
            channelId={form.channelId}
            eventType={form.eventType.trim()}
            waitsFor={
              isWhole
                ? undefined
                : form.channelId === ''
                  ? 'Choose a channel to see who will receive it'
                  : form.eventType.trim() === ''
                    ? 'Enter an event type to see who will receive it'
                    : 'Fix the JSON to see who will receive it'
            }
          />
          {schema !== undefined && (
            <CodeView
              label={channel.schemas[form.eventType.trim()] === undefined ? 'Schema of all types' : 'Schema'}
              text={schema}
              language="json"
              note={channel.mode === 'warn' ? 'accepts with warning' : 'rejects invalid payloads'}
            />
          )}
        </div>
      </div>
      {request.dialog}
    </Drawer>
  );
}

/** Returns what is wrong before anything is sent. */
function problemsOf({ channelId, eventType, payload, metadata }: Form): Problems {
  const wrong = metadata.trim() === '' ? undefined : jsonSyntax(metadata)?.message;
  const bad = jsonSyntax(payload);
  return {
    ...(channelId === '' && { channelId: 'Choose a channel' }),
    ...(eventType.trim() === '' && { eventType: 'Enter an event type' }),
    ...(bad !== undefined && { payload: bad.line === undefined ? bad.message : `Line ${bad.line}: ${bad.message}` }),
    ...(wrong !== undefined && { metadata: wrong }),
  };
}

const noteOf = ({ metadata, deliverAt, publisherId }: Form): string => {
  const set = [metadata.trim() && 'metadata', deliverAt && 'scheduled', publisherId.trim() && 'external ID'].filter(
    (each) => each !== '',
  );
  return set.length === 0 ? 'No metadata, publish now' : set.join(', ');
};

/** Returns the schemas of a channel, each as it was written. */
function useChannelDefinition(channelId: string) {
  const { at, path } = useHere();
  const { data } = useQuery({
    queryKey: [path, 'channel-definition', channelId],
    queryFn: () => api.channels.get(channelId, at).withAnswer(),
    enabled: channelId !== '',
    meta: { failure: 'own' },
    retry: false,
  });
  const all = data === undefined ? undefined : memberText(data.text, 'schema');
  const single = data === undefined ? '{}' : (memberText(data.text, 'schemas') ?? '{}');
  const schemas: Readonly<Record<string, string | undefined>> = Object.fromEntries(memberTexts(single));
  return { schema: all, schemas, mode: data?.data.schemaMode };
}

/** Returns the known event types of a channel: those of its schemas and of its newest messages. */
function useEventTypes(channelId: string, named: readonly string[]): readonly string[] {
  const { at, path } = useHere();
  const { data = [] } = useQuery({
    queryKey: [path, 'event-types', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: NEWEST }, at).page()).data,
    enabled: channelId !== '',
    meta: { failure: 'own' },
    staleTime: 60_000,
  });
  return [...new Set([...named, ...data.map(({ eventType }) => eventType)])].toSorted();
}

/** Inserts the payload of the newest message of that type, or of the channel. Renders nothing if there is none. */
function RecentPayload({
  channelId,
  eventType,
  onTake,
}: {
  channelId: string;
  eventType: string;
  onTake: (payload: string) => void;
}) {
  const { at, path } = useHere();
  const { act } = useActs();
  const { data: recent } = useQuery({
    queryKey: [path, 'recent-message', channelId, eventType],
    queryFn: async () => {
      const query = { channelId, limit: 1, ...(eventType !== '' && { eventType }) };
      return (await api.messages.listAll(query, at).page()).data[0] ?? null;
    },
    meta: { failure: 'own' },
    retry: false,
    staleTime: 60_000,
  });
  if (recent === undefined || recent === null || recent.erasedAt !== undefined) return null;
  return (
    <button
      type="button"
      className="ml-auto text-12 text-accent hover:underline"
      onClick={() =>
        void act(
          async () => {
            const { text } = await api.messages.get(recent.id, at).withAnswer();
            onTake(prettyText(memberText(text, 'payload') ?? '{}'));
          },
          { told: () => undefined },
        )
      }
    >
      Use last {recent.eventType}
    </button>
  );
}
