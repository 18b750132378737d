import { type FirstOf, firstRequests } from '../lib/first-requests.ts';
import { curlLine } from '../lib/shell-lines.ts';
import { useHere } from '../lib/session.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { CodeLines } from '../ui/code-lines.tsx';
import { useChannels } from './use-names.ts';

/** The request by cURL that puts the first thing into an empty list, for those who may. `channelId`: that of the list. */
export function FirstRequest({ of, channelId }: { of: FirstOf; channelId?: string | undefined }) {
  const { may } = useHere();
  const channels = useChannels();
  const own = channels.all.find((channel) => !isSystemChannel(channel));
  const line = curlLine(firstRequests(channelId ?? own?.id)[of]);
  // Nobody publishes to the channel on which the service tells of itself.
  const isOfSystem = channels.all.some((channel) => channel.id === channelId && isSystemChannel(channel));
  if (!may('developer') || line === undefined) return null;
  if (of === 'message' && (channels.isPending || isOfSystem)) return null;
  return (
    <div className="w-120 max-w-full text-left">
      <CodeLines text={line} title="cURL" />
    </div>
  );
}
