import { useTexts } from '../lib/texts.ts';
import { Time } from './time.tsx';
import type { Edits } from './use-edits.ts';

type Given<T extends Readonly<Record<string, unknown>>> = {
  edits: Edits<T>;
  /** When the thing has changed last. */
  at: string;
  /** The fields as the form calls them. */
  names: Readonly<Record<keyof T & string, string>>;
};

/** Says beside what was written that the thing has changed meanwhile, and what saving does to that. */
export function NewerState<T extends Readonly<Record<string, unknown>>>({ edits, at, names }: Given<T>) {
  const t = useTexts();
  const { newer, written } = edits;
  const listed = (all: typeof newer): string => [...new Set(all.map((name) => names[name]))].join(', ');
  const both = newer.filter((name) => name in written);
  return (
    <div aria-live="polite">
      {newer.length > 0 && (
        <div className="note">
          <span>
            {t.newer.changed} (<Time at={at} />
            ): {listed(newer)}. {t.newer.stays} {both.length > 0 && <strong>{t.newer.replaces(listed(both))}</strong>}
          </span>
          <button
            type="button"
            className="button"
            onClick={({ currentTarget: { form } }) => {
              edits.take();
              // The button goes, and the keys would be nowhere.
              form?.querySelector<HTMLElement>('input, textarea, select')?.focus();
            }}
          >
            {both.length > 0 ? t.newer.take : t.newer.seen}
          </button>
        </div>
      )}
    </div>
  );
}
