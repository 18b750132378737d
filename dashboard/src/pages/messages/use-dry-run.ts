import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type DryRun } from '../../api/client.ts';
import { placeOfPath } from '../../lib/json-places.ts';
import { useHere } from '../../lib/session.ts';
import type { CodeProblem } from '../../ui/code/editor-problems.ts';

const AFTER_MS = 400;

export type MessageDraft = { channelId: string; eventType: string; payload: string; metadata: string };

/**
 * Returns who would receive the message being written, and what the schemas of its channel say about it. It is checked
 * once nothing has been typed for a moment, and the previous result stays until then. Undefined while the message is
 * incomplete.
 */
export function useDryRun(draft: MessageDraft | undefined) {
  const { at, path } = useHere();
  const text = JSON.stringify(draft);
  const [asked, setAsked] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // `as`: written above.
  const settled = asked === undefined ? undefined : (JSON.parse(asked) as MessageDraft);
  return useQuery({
    queryKey: [path, 'dry-run', asked],
    queryFn: async (): Promise<{ routes: DryRun; problems: readonly CodeProblem[] }> => {
      if (settled === undefined) throw new Error('nothing is asked');
      const { channelId, eventType, payload, metadata } = settled;
      // Payload and metadata are sent as text, so that no number is parsed and rewritten.
      const own = `"eventType":${JSON.stringify(eventType)},"payload":${payload}`;
      const routed = metadata.trim() === '' ? own : `${own},"metadata":${metadata}`;
      const [{ results }, routes] = await Promise.all([
        api.messages.validate(channelId, `{${own}}`, at),
        api.messages.dryRun(channelId, `{${routed}}`, { limit: 100 }, at),
      ]);
      const errors = results[0]?.errors ?? [];
      return { routes, problems: errors.map((error) => problemIn(payload, error)) };
    },
    enabled: settled !== undefined && settled.channelId !== '',
    placeholderData: (before) => (draft === undefined ? undefined : before),
    meta: { failure: 'own' },
    retry: false,
    staleTime: 10_000,
  });
}

/** Returns the schema violations of a payload, at their positions in the text. */
function problemIn(payload: string, { field, reason }: { field: string; reason: string }): CodeProblem {
  const from = placeOfPath(payload, field, 'payload');
  const message = `${field} ${reason}`;
  if (from === undefined || field === 'payload') return { message };
  return { message, from, line: payload.slice(0, from).split('\n').length };
}
