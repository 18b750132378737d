import { useContext, useState } from 'react';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { useZoneName, ZoneContext } from '../lib/times.ts';
import { timeOfText, timeText } from '../lib/zone-times.ts';

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
      <End name="since" label={t.list.from} text={search['since']} />
      <End name="until" label={t.fields.until} text={search['until']} />
    </>
  );
}

function End({ name, label, text }: { name: 'since' | 'until'; label: string; text: string | undefined }) {
  const [, change] = useAddress();
  const zone = useContext(ZoneContext);
  // A relative end moves each minute, and the field of its writer must not: it keeps the time that it had at the first key.
  const [held, setHeld] = useState<{ text: string | undefined; at: string | undefined }>();
  const shownAt = held !== undefined && held.text === text ? held.at : sinceOf(text);
  const zoneName = useZoneName(shownAt);
  const shown = shownAt === undefined ? '' : timeText(shownAt, zone);
  return (
    <label>
      {label} ({zoneName})
      <input
        // Its writer types part by part: the time counts once the field is left.
        key={shownAt}
        type="datetime-local"
        className="input"
        step={1}
        defaultValue={shown}
        onFocus={() => setHeld({ text, at: shownAt })}
        onBlur={(event) => {
          const { value, validity } = event.target;
          // Half of a time is none yet, and stays to be written on.
          if (validity.badInput) return;
          setHeld(undefined);
          const next = timeOfText(value, zone);
          if (next !== timeOfText(shown, zone)) change({ [name]: next ?? '' });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </label>
  );
}
