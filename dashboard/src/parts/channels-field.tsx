import { useTexts } from '../lib/texts.ts';
import { FoundField } from './found-choice.tsx';
import { ThingName } from './thing-name.tsx';
import { FULL } from './use-found.ts';
import { useNamed } from './use-named.ts';

type Given = {
  label: string;
  problem: string | undefined;
  chosen: readonly string[];
  /** Undefined: no channel is named. */
  onChange: (raw: string | undefined) => void;
};

/** Several channels by their names. Each that is chosen stands below, on a button that takes it away. */
export function ChannelsField({ label, problem, chosen, onChange }: Given) {
  const t = useTexts();
  const options = useNamed('channels', '');
  const write = (ids: readonly string[]): void => onChange(ids.length === 0 ? undefined : JSON.stringify(ids));
  return (
    <div>
      <FoundField
        kind="channel"
        isMore={options.length >= FULL}
        label={label}
        problem={problem}
        unset={chosen.length === 0 ? t.definition.anyChannel : t.definition.furtherChannel}
        value=""
        options={options.filter(([id]) => !chosen.includes(id))}
        onChange={(id) => {
          if (id !== '' && !chosen.includes(id)) write([...chosen, id]);
        }}
      />
      {chosen.length > 0 && (
        <div className="buttons" role="group" aria-label={t.definition.chosenChannels}>
          {chosen.map((id) => (
            <button
              key={id}
              type="button"
              className="button choice"
              onClick={({ currentTarget }) => {
                // The button goes, and the keys would be nowhere.
                currentTarget.parentElement?.parentElement?.querySelector<HTMLElement>('select, input')?.focus();
                write(chosen.filter((each) => each !== id));
              }}
            >
              <span className="sr-only">{t.definition.remove}</span> <ThingName kind="channel" id={id} />{' '}
              <span aria-hidden="true">×</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
