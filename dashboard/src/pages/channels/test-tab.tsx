import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { api, type Channel, type DryRun } from '../../api/client.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { memberText, prettyText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Columns, Section } from '../../ui/layout.tsx';
import { SelectField } from '../../ui/select.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { Recipients } from '../messages/recipients.tsx';
import { useDryRun } from '../messages/use-dry-run.ts';
import { useRecentMessages } from './use-recent.ts';

type Draft = Record<'eventType' | 'payload' | 'metadata', string>;
const NOTHING: Draft = { eventType: '', payload: '{}', metadata: '' };

/** Tests a message, real or invented: whether the channel accepts it, and who receives it. Publishes nothing. */
export function TestTab({ of: channel }: { of: Channel }) {
  const { at, path } = useHere();
  const [sampleId, setSampleId] = useState<string>();
  const [written, setWritten] = useState<Partial<Draft>>({});
  const [asked, setAsked] = useState<string>();
  const recent = useRecentMessages(channel.id);
  const samples = (recent ?? []).filter(({ erasedAt }) => erasedAt === undefined);
  // The newest message at the time: later ones do not change what is shown or edited here.
  const newest = useRef<string>(undefined);
  if (newest.current === undefined && Object.keys(written).length === 0) newest.current = samples[0]?.id;
  const id = sampleId ?? newest.current;
  const sample = useQuery({
    queryKey: [path, 'sample', id],
    queryFn: async (): Promise<Draft> => {
      const { data, text } = await api.messages.get(id ?? '', at).withAnswer();
      return {
        eventType: data.eventType,
        payload: prettyText(memberText(text, 'payload') ?? '{}'),
        metadata: memberText(text, 'metadata') ?? '',
      };
    },
    enabled: id !== undefined,
    staleTime: Infinity,
    placeholderData: (before) => before,
    meta: { failure: 'own' },
  });
  const draft = { ...(sample.data ?? NOTHING), ...written };
  const write = (part: Partial<Draft>): void => setWritten((before) => ({ ...before, ...part }));
  // `as`: these are the members of a draft.
  const isWritten = Object.entries(written).some(
    ([name, text]) => text !== (sample.data ?? NOTHING)[name as keyof Draft],
  );
  const take = (next: string): void => {
    setWritten({});
    setSampleId(next);
  };
  const eventType = draft.eventType.trim();
  const syntax = jsonSyntax(draft.payload);
  const metadataSyntax = draft.metadata.trim() === '' ? undefined : jsonSyntax(draft.metadata);
  const isWhole = eventType !== '' && syntax === undefined && metadataSyntax === undefined;
  const dryRun = useDryRun(isWhole ? { channelId: channel.id, ...draft, eventType } : undefined);
  const routes = isWhole ? dryRun.data?.routes : undefined;
  const metadata = draft.metadata.trim() === '' ? '' : `,"metadata":${draft.metadata}`;
  const request = useRequestDialog(() => {
    const body = `{"eventType":${JSON.stringify(eventType)},"payload":${draft.payload}${metadata}}`;
    return api.messages.dryRun(channel.id, body, { limit: 100 }, at);
  });
  const types = new Set([...Object.keys(channel.schemas ?? {}), ...samples.map((each) => each.eventType)]);
  if (recent === undefined || (sample.data === undefined && id !== undefined)) return <NotRead of={sample} />;
  return (
    <Columns
      side={
        <>
          <Section title="Validation" end={<span className="text-12 text-text-3">Nothing is published</span>}>
            <div aria-live="polite">
              {routes === undefined ? (
                <p className="text-text-2">{isWhole ? 'Checking…' : waitsFor(eventType)}</p>
              ) : (
                <Verdict of={routes.channel} hasSchema={hasSchema(channel, eventType)} />
              )}
            </div>
          </Section>
          <Recipients
            of={routes}
            error={dryRun.error}
            channelId={channel.id}
            eventType={eventType}
            waitsFor={isWhole ? undefined : waitsFor(eventType)}
          />
          {isWhole && <div className="-ml-2.75 flex">{request.button}</div>}
        </>
      }
    >
      <div className="flex max-w-180 flex-col gap-4">
        <div className="grid items-start gap-4 md:grid-cols-2">
          <SuggestField
            label="Event type"
            value={draft.eventType}
            onChange={(next) => write({ eventType: next })}
            known={[...types].toSorted()}
            isMono
            placeholder="order.created"
          />
          {samples.length > 0 && (
            <SelectField
              label="Sample"
              value={isWritten ? '' : (id ?? '')}
              placeholder="Edited"
              onChange={(next) => (isWritten ? setAsked(next) : take(next))}
              options={samples.map((each) => ({
                value: each.id,
                label: `${each.eventType} ${shortId(each.id)}`,
              }))}
            />
          )}
        </div>
        <CodeEditor
          label="Payload"
          language="json"
          value={draft.payload}
          onChange={(payload) => write({ payload })}
          minLines={14}
          maxLines={32}
          problems={syntax === undefined ? (dryRun.data?.problems ?? []) : [syntax]}
        />
        <CodeEditor
          label="Metadata"
          language="json"
          value={draft.metadata}
          onChange={(next) => write({ metadata: next })}
          minLines={2}
          hasLineNumbers={false}
          placeholder="None"
          problems={metadataSyntax === undefined ? [] : [metadataSyntax]}
        />
      </div>
      {request.dialog}
      {asked !== undefined && (
        <Confirm
          title="Replace your edits?"
          go="Replace edits"
          hasRequest={false}
          onClose={() => setAsked(undefined)}
          onGo={() => take(asked)}
        >
          What you have written here isn't saved.
        </Confirm>
      )}
    </Columns>
  );
}

const waitsFor = (eventType: string): string =>
  eventType === '' ? 'Enter an event type to see the result' : 'Fix the JSON to see the result';

const hasSchema = ({ schema, schemas = {} }: Channel, eventType: string): boolean =>
  schema !== undefined || Object.hasOwn(schemas, eventType);

/** Whether the channel accepts the message, and why not. Problems are marked in the payload. */
function Verdict({
  of: { status, accepts, errors },
  hasSchema: isChecked,
}: {
  of: DryRun['channel'];
  hasSchema: boolean;
}) {
  const problems = counted(errors.length, 'problem');
  if (errors.length > 0 && accepts)
    return (
      <p className="flex items-center gap-1.5">
        <Icon of={TriangleAlert} isSmall className="text-retrying" />
        Accepted with warning: {problems}
      </p>
    );
  const text =
    errors.length > 0
      ? `Rejected: ${problems}`
      : !accepts
        ? `Rejected: the channel is ${status}`
        : isChecked
          ? 'Valid'
          : 'Accepted: no schema for this event type';
  return (
    <p className="flex items-center gap-1.5">
      <StatusIcon tone={accepts ? 'delivered' : 'failed'} />
      {text}
    </p>
  );
}
