import { type FirstOf, firstRequests } from '../lib/first-requests.ts';
import { curlLine } from '../lib/shell-lines.ts';
import { useHere } from '../lib/session.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { CodeLines } from '../ui/code-lines.tsx';
import { useChannels } from './use-names.ts';

/**
 * Shows the cURL request that creates the first entry of an empty list, to users who may send it. `channelId`: the
 * channel of the list.
 */
export function FirstRequest({ of, channelId }: { of: FirstOf; channelId?: string | undefined }) {
  const { may } = useHere();
  const channels = useChannels();
  const own = channels.all.find((channel) => !isSystemChannel(channel));
  const line = curlLine(firstRequests(channelId ?? own?.id)[of]);
  // Users cannot publish to the system channel.
  const isOfSystem = channels.all.some((channel) => channel.id === channelId && isSystemChannel(channel));
  if (!may('developer') || line === undefined) return null;
  if (of === 'message' && (channels.isPending || isOfSystem)) return null;
  return (
    <div className="w-120 max-w-full text-left">
      <CodeLines text={line} title="cURL" />
    </div>
  );
}
