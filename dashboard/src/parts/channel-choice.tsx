import { useAddress } from '../lib/search.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { FoundChoice } from './found-choice.tsx';
import { useChannels } from './use-names.ts';

/** The channel that the address names, else the newest one. Undefined where there is none. */
export function useChosenChannel(): string | undefined {
  const [search] = useAddress();
  const channels = useChannels();
  return search['channel'] ?? channels.all.find((each) => !isSystemChannel(each))?.id ?? channels.all[0]?.id;
}

/** Chooses the one channel that a page is about. */
export function ChannelChoice() {
  const t = useTexts();
  const [, change] = useAddress();
  const channels = useChannels();
  const chosen = useChosenChannel();
  const choose = (channel: string): void => change({ channel, open: '' });
  if (channels.isFull)
    return (
      <FoundChoice
        kind="channel"
        label={t.fields.channel}
        known={channels.choices}
        value={chosen ?? ''}
        onChange={choose}
      />
    );
  const isKnown = chosen === undefined || channels.all.some(({ id }) => id === chosen);
  return (
    <label>
      {t.fields.channel}
      <select
        className="input"
        value={chosen ?? ''}
        // With many channels, a field that is written in stands here once they are read.
        disabled={channels.isPending}
        onChange={(event) => choose(event.target.value)}
      >
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {channels.all.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
