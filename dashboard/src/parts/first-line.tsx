import { type FirstOf, firstRequests } from '../lib/first-requests.ts';
import { curlLine } from '../lib/shell-lines.ts';
import { useHere } from '../lib/session.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { Code } from './code.tsx';
import { useChannels } from './use-names.ts';

/** The line for a shell that puts the first thing into an empty list, for those who may. `channelId`: that of the list. */
export function FirstLine({ of, channelId }: { of: FirstOf; channelId?: string | undefined }) {
  const t = useTexts();
  const { may } = useHere();
  const channels = useChannels();
  const own = channels.all.find((channel) => !isSystemChannel(channel));
  const line = curlLine(firstRequests(channelId ?? own?.id)[of]);
  // Nobody publishes to the channel on which the service tells of itself.
  const isOfSystem = channels.all.some((channel) => channel.id === channelId && isSystemChannel(channel));
  if (!may('developer') || line === undefined) return null;
  if (of === 'message' && (channels.isPending || isOfSystem)) return null;
  return (
    <div className="stack wide">
      <p className="muted">{t.overview.byShell}:</p>
      <Code text={line} label={t.overview.byShell} />
    </div>
  );
}
