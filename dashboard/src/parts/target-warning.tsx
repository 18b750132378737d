import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { healthOf } from '../lib/subscription-health.ts';
import { Note } from '../ui/callout.tsx';
import { FULL } from './use-found.ts';

/** Most subscriptions to name. */
const NAMED = 3;

/** Where deliveries are to be sent again. If neither is given: to any subscription. */
export type Targets = { subscriptionId?: string | undefined; channelId?: string | undefined };

/**
 * Names the subscriptions among the targets that would not deliver now. Shows nothing while all of them are healthy.
 */
export function TargetWarning({ of: { subscriptionId, channelId } }: { of: Targets }) {
  const { at, path } = useHere();
  const { data = [] } = useQuery({
    queryKey: [path, 'target-warning', subscriptionId, channelId],
    queryFn: async () => {
      const among = {
        limit: FULL,
        ...(channelId !== undefined && { channelId }),
        ...(subscriptionId !== undefined && { ids: [subscriptionId] }),
      };
      const [failing, paused] = await Promise.all([
        api.subscriptions.list({ ...among, failing: 'true' }, at).page(),
        api.subscriptions.list({ ...among, status: 'paused' }, at).page(),
      ]);
      return [...failing.data, ...paused.data].map((row) => {
        const { word } = healthOf(row, { isFailing: true });
        return { id: row.id, text: `${row.name} (${word.toLowerCase()})` };
      });
    },
    meta: { failure: 'own' },
  });
  const [first] = data;
  if (first === undefined) return null;
  const names = data.slice(0, NAMED).map(({ text }) => text);
  const more = data.length > NAMED ? ` and ${data.length - NAMED} more` : '';
  return (
    <Note kind="warning">
      {subscriptionId === undefined
        ? `Not delivering now, if among the targets: ${names.join(', ')}${more}`
        : `Not delivering now: ${first.text}`}
    </Note>
  );
}
