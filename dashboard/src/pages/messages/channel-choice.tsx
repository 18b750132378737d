import { Hash } from 'lucide-react';
import { useAddress } from '../../lib/search.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { FoundSelect } from '../../parts/found-select.tsx';
import { useChannels } from '../../parts/use-names.ts';

/** Returns the channel that the address names, otherwise the newest one. Undefined if there is none. */
export function useChosenChannel(): string | undefined {
  const [search] = useAddress();
  const channels = useChannels();
  return search['channel'] ?? channels.all.find((each) => !isSystemChannel(each))?.id ?? channels.all[0]?.id;
}

/** Selects the channel of a tab. */
export function ChannelChoice() {
  const [, change] = useAddress();
  const channels = useChannels();
  return (
    <FoundSelect
      kind="channel"
      label="Channel"
      look="button"
      icon={Hash}
      known={channels.choices}
      isMore={channels.isFull}
      isPending={channels.isPending}
      value={useChosenChannel() ?? ''}
      onChange={(channel) => change({ channel, open: '' })}
    />
  );
}
