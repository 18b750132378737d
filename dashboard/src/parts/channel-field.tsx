import type { NamePair } from '../lib/list-filter.ts';
import { useTexts } from '../lib/texts.ts';
import { FoundField } from './found-choice.tsx';
import { useChannels } from './use-names.ts';

type Given = {
  value: string;
  onChange: (channelId: string) => void;
  options: readonly NamePair[];
  problem?: string | undefined;
};

/** The channel that a new thing is for. Nothing is chosen before its person has, and the form is not sent without one. */
export function ChannelField({ value, onChange, options, problem }: Given) {
  const t = useTexts();
  const channels = useChannels();
  // The address may name one that is none of the choices: it stands there as it is, unless its name is looked for.
  const isKnown = value === '' || channels.isFull || options.some(([id]) => id === value);
  return (
    <FoundField
      kind="channel"
      isMore={channels.isFull}
      label={t.fields.channel}
      unset={t.newer.chooseChannel}
      value={value}
      onChange={onChange}
      options={isKnown ? options : [...options, [value, value]]}
      problem={problem}
      isRequired
    />
  );
}
