import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { hasEventType } from '../../lib/filter-names.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { prettyText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
import { useSettled } from '../../parts/use-found.ts';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Fold } from '../../ui/layout.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { OUTCOME_LOOKS } from './filter-matches.tsx';
import type { FilterTest, TestedMessage } from './use-filter-test.ts';

type Given = {
  channelId: string;
  eventTypes: readonly string[];
  filter: string;
  test: FilterTest;
};

/** A message of one's own, and whether the subscription would receive it as it is written. Nothing is published. */
export function OwnSample({ test, ...given }: Given) {
  if (test.hasMessages === undefined) return null;
  return (
    <Fold key={given.channelId} title="Test with your own message" isOpen={!test.hasMessages}>
      <Sample test={test} {...given} />
    </Fold>
  );
}

function Sample({ channelId, eventTypes, filter, test }: Given) {
  const { at, path } = useHere();
  const [eventType, setEventType] = useState(
    () => eventTypes.find((type) => !type.endsWith('*')) ?? test.types[0] ?? 'order.created',
  );
  const [payload, setPayload] = useState(() => prettyText([...test.payloads.values()][0] ?? '{}'));
  const syntax = jsonSyntax(payload);
  const type = eventType.trim();
  const isOfType = hasEventType(eventTypes, type);
  // The payload goes as its text: no number of it is read and written anew.
  const body = `{"eventType":${JSON.stringify(type)},"payload":${payload},"filter":${JSON.stringify(filter.trim())}}`;
  const isWhole = syntax === undefined && type !== '' && test.error === undefined && filter.trim() !== '';
  const settled = useSettled(isWhole ? body : '');
  const verdict = useQuery({
    queryKey: [path, 'own-sample', channelId, settled],
    queryFn: async ({ signal }) =>
      (await api.messages.dryRun(channelId, settled, { limit: 1 }, { ...at, signal })).filter,
    enabled: settled !== '',
    placeholderData: (before) => (isWhole ? before : undefined),
    retry: false,
    staleTime: 10_000,
    meta: { failure: 'own' },
  });
  const outcomeOf = (): TestedMessage['outcome'] | undefined => {
    if (type === '' || syntax !== undefined) return undefined;
    if (!isOfType) return 'type';
    if (filter.trim() === '') return 'match';
    const { data } = verdict;
    return !isWhole || data === undefined
      ? undefined
      : data.error !== undefined
        ? 'error'
        : data.matches
          ? 'match'
          : 'none';
  };
  const outcome = outcomeOf();
  return (
    <div className="flex flex-col gap-4 pb-2">
      <SuggestField
        label="Event type of the message"
        value={eventType}
        onChange={setEventType}
        known={test.types}
        isMono
        placeholder="order.created"
      />
      <CodeEditor
        label="Payload of the message"
        language="json"
        value={payload}
        onChange={setPayload}
        minLines={3}
        maxLines={12}
        problems={syntax === undefined ? [] : [syntax]}
      />
      <p role="status" className="flex min-h-5 items-center gap-1.5">
        {outcome !== undefined && (
          <>
            <Icon of={OUTCOME_LOOKS[outcome].icon} isSmall className={OUTCOME_LOOKS[outcome].className} />
            {OUTCOME_LOOKS[outcome].word}
            {outcome === 'error' && <span className="truncate text-text-2">{verdict.data?.error}</span>}
          </>
        )}
      </p>
    </div>
  );
}
