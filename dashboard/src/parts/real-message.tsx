import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type MessageSummary } from '../api/client.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { Failure } from './failure.tsx';
import { ChoiceField } from './field.tsx';

/** So many of the newest messages can be chosen. */
const NEWEST = 20;

/** A message as a trial takes it. Payload and metadata are JSON, digit for digit. */
export type RealMessage = { id: string; channelId: string; eventType: string; payload: string; metadata: string };

type Given = {
  /** Channels of the trigger. Empty: all. */
  channelIds: readonly string[];
  chosen: string;
  onChoose: (message: RealMessage | undefined) => void;
};

/** Takes one of the newest messages of these channels, or none. */
export function RealMessageField({ channelIds, chosen, onChoose }: Given) {
  const t = useTexts();
  const { at, path } = useHere();
  const times = useTimes();
  const [error, setError] = useState<unknown>();
  const found = useQuery({
    queryKey: [path, 'trial-messages', channelIds],
    queryFn: async () => {
      const asked = channelIds.length === 0 ? [undefined] : channelIds;
      const pages = await Promise.all(
        asked.map((channelId) => api.messages.listAll({ channelId, limit: NEWEST }, at).page()),
      );
      const all = pages.flatMap(({ data }) => data);
      // Ids sort by time.
      return all.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, NEWEST);
    },
  });
  const choose = async (id: string): Promise<void> => {
    setError(undefined);
    if (id === '') {
      onChoose(undefined);
      return;
    }
    try {
      const { data, text } = await api.messages.get(id, at).withAnswer();
      const { channelId, eventType } = data;
      const payload = prettyText(memberText(text, 'payload') ?? '{}');
      onChoose({ id, channelId, eventType, payload, metadata: memberText(text, 'metadata') ?? '{}' });
    } catch (failure) {
      setError(failure);
    }
  };
  const nameOf = ({ id, eventType, publishedAt }: MessageSummary): string =>
    `${eventType} · ${times.short(publishedAt)} · ${id.slice(-6)}`;
  return (
    <>
      <ChoiceField
        label={t.workflows.realMessage}
        value={chosen}
        onChange={(id) => void choose(id)}
        options={[['', t.workflows.madeUp], ...(found.data ?? []).map((row) => [row.id, nameOf(row)] as const)]}
        hint={found.data?.length === 0 ? t.workflows.noMessage : t.workflows.realMessageHint}
      />
      <Failure error={error ?? found.error} />
    </>
  );
}
