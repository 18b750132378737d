import { useContext } from 'react';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { timeOfText, timeText, useZoneName, ZoneContext } from '../lib/times.ts';

/** The span that a choice of two ends begins with, to the second. */
export function lastDay(): { since: string; until: string } {
  const until = Math.ceil(Date.now() / 1_000) * 1_000;
  return { since: new Date(until - 86_400_000).toISOString(), until: new Date(until).toISOString() };
}

/** Both ends of a span of time, to the second. An end that is emptied is open. */
export function TimeRange() {
  const t = useTexts();
  const [search] = useAddress();
  return (
    <>
      <End name="since" label={t.list.from} at={sinceOf(search['since'])} />
      <End name="until" label={t.fields.until} at={sinceOf(search['until'])} />
    </>
  );
}

function End({ name, label, at }: { name: 'since' | 'until'; label: string; at: string | undefined }) {
  const [, change] = useAddress();
  const zone = useContext(ZoneContext);
  const zoneName = useZoneName();
  return (
    <label>
      {label} ({zoneName})
      <input
        // Its writer types part by part: the time counts once the field is left.
        key={at}
        type="datetime-local"
        className="input"
        step={1}
        defaultValue={at === undefined ? '' : timeText(at, zone)}
        onBlur={(event) => {
          const text = event.target.value;
          if (text !== (at === undefined ? '' : timeText(at, zone))) change({ [name]: timeOfText(text, zone) ?? '' });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </label>
  );
}
