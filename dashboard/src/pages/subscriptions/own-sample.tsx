import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { hasEventType } from '../../lib/filter-names.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { prettyText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { failureText } from '../../parts/failure-text.ts';
import { useSettled } from '../../parts/use-found.ts';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Fold } from '../../ui/layout.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { OUTCOME_LOOKS } from './filter-matches.tsx';
import type { SampleTest, TestedMessage } from './use-filter-test.ts';

/** The edited fields of the test message. The others are those of the newest message. */
export type SampleDraft = { eventType?: string; payload?: string };

type Given = {
  channelId: string;
  eventTypes: readonly string[];
  filter: string;
  test: SampleTest;
  /** Kept by the form, so that collapsing or hiding this part loses nothing. */
  draft: SampleDraft;
  onDraft: (draft: SampleDraft) => void;
};

/** Tests a message of your own: whether the subscription would receive it as it is edited now. Publishes nothing. */
export function OwnSample(given: Given) {
  const { hasMessages } = given.test;
  if (hasMessages === undefined) return null;
  const isWritten = Object.keys(given.draft).length > 0;
  return (
    <Fold key={given.channelId} title="Test with your own message" isOpen={!hasMessages || isWritten}>
      <Sample {...given} />
    </Fold>
  );
}

/** The newest message that the event types match, unchanged. */
function newestOf({ messages = [], payloads, types }: SampleTest, eventTypes: readonly string[]) {
  const message = messages.find(({ id, eventType }) => payloads.has(id) && hasEventType(eventTypes, eventType));
  if (message !== undefined)
    return { eventType: message.eventType, payload: prettyText(payloads.get(message.id) ?? '{}') };
  const type = eventTypes.find((each) => !each.endsWith('*')) ?? types[0] ?? 'order.created';
  return { eventType: type, payload: '{}' };
}

function Sample({ channelId, eventTypes, filter, test, draft, onDraft }: Given) {
  const { at, path } = useHere();
  const { eventType, payload } = { ...newestOf(test, eventTypes), ...draft };
  const syntax = jsonSyntax(payload);
  const type = eventType.trim();
  const wanted = filter.trim();
  // Without any message the field starts with {}, in which a filter finds none of its values, so that is not tested.
  const isWhole = syntax === undefined && type !== '' && payload !== '{}' && test.error === undefined;
  // The payload is sent as text, so that no number is parsed and rewritten.
  const body = `{"eventType":${JSON.stringify(type)},"payload":${payload}${wanted === '' ? '' : `,"filter":${JSON.stringify(wanted)}`}}`;
  const settled = useSettled(isWhole ? body : '');
  const verdict = useQuery({
    queryKey: [path, 'own-sample', channelId, settled],
    queryFn: ({ signal }) => api.messages.dryRun(channelId, settled, { limit: 1 }, { ...at, signal }),
    enabled: settled !== '',
    placeholderData: (before) => (isWhole ? before : undefined),
    retry: false,
    staleTime: 10_000,
    meta: { failure: 'own' },
  });
  const answer = isWhole ? verdict.data : undefined;
  const refusal = isWhole && verdict.error !== null ? failureText(verdict.error) : undefined;
  const reason = refusal ?? answer?.filter?.error;
  const outcomeOf = (): TestedMessage['outcome'] | undefined => {
    if (reason !== undefined) return 'error';
    if (answer === undefined) return undefined;
    if (!hasEventType(eventTypes, type)) return 'type';
    return answer.filter?.matches === false ? 'none' : 'match';
  };
  const outcome = outcomeOf();
  return (
    <div className="flex flex-col gap-4 pb-2">
      <SuggestField
        label="Event type of the message"
        value={eventType}
        onChange={(next) => onDraft({ ...draft, eventType: next })}
        known={test.types}
        isMono
        placeholder="order.created"
      />
      <CodeEditor
        label="Payload of the message"
        language="json"
        value={payload}
        onChange={(next) => onDraft({ ...draft, payload: next })}
        minLines={3}
        maxLines={12}
        problems={syntax === undefined ? [] : [syntax]}
      />
      <p role="status" className="flex min-h-5 items-start gap-1.5">
        {outcome !== undefined && (
          <>
            <span className="flex h-5 items-center">
              <Icon of={OUTCOME_LOOKS[outcome].icon} isSmall className={OUTCOME_LOOKS[outcome].className} />
            </span>
            {OUTCOME_LOOKS[outcome].word}
            {outcome === 'error' && <span className="min-w-0 text-text-2 [overflow-wrap:anywhere]">{reason}</span>}
          </>
        )}
      </p>
    </div>
  );
}
