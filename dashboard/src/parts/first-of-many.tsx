import { useTexts } from '../lib/texts.ts';
import { Time } from './time.tsx';

/** One of the things that an action on many would take. */
export type OneOfMany = { id: string; at: string; eventType?: string | undefined };

/** The first of many things that something would be done to, and how many are not named. `title` says which ones come first. */
export function FirstOfMany({
  title,
  rows,
  matched,
}: {
  title: string;
  rows: readonly OneOfMany[];
  /** How many there are in all, where that is known. */
  matched: number | undefined;
}) {
  const t = useTexts();
  if (rows.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul className="stack">
        {rows.map((row) => (
          <li key={row.id} className="cut">
            <Time at={row.at} /> <span className="mono">{row.id}</span> <span className="muted">{row.eventType}</span>
          </li>
        ))}
      </ul>
      {matched !== undefined && matched > rows.length && (
        <p className="muted">{t.deadLetters.andMore(matched - rows.length)}</p>
      )}
    </>
  );
}
