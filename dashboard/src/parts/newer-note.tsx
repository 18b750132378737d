import { Button } from '../ui/button.tsx';
import { Note } from '../ui/callout.tsx';
import { Ago } from './moment.tsx';
import type { Edits } from './use-edits.ts';

type Given<T extends Readonly<Record<string, unknown>>> = {
  edits: Edits<T>;
  /** When the thing was last changed. */
  at: string;
  /** The fields, by their labels in the form. */
  names: Readonly<Record<keyof T & string, string>>;
};

/**
 * Warns next to unsaved edits that another user has changed the thing meanwhile, and says what saving will do to that
 * change.
 */
export function NewerNote<T extends Readonly<Record<string, unknown>>>({ edits, at, names }: Given<T>) {
  const { newer, written } = edits;
  const listed = (all: typeof newer): string => [...new Set(all.map((name) => names[name]))].join(', ');
  const both = newer.filter((name) => name in written);
  return (
    <div aria-live="polite" className="w-full empty:hidden">
      {newer.length > 0 && (
        <Note
          kind="warning"
          actions={
            <Button
              size="small"
              onClick={({ currentTarget }) => {
                edits.take();
                // The button disappears, so move the keyboard focus.
                currentTarget.closest('form')?.querySelector<HTMLElement>('input, textarea')?.focus();
              }}
            >
              {both.length > 0 ? 'Load latest' : 'Dismiss'}
            </Button>
          }
        >
          <strong>Someone else changed this</strong> <Ago at={at} />: {listed(newer)}. Your edits are kept.
          {both.length > 0 && ` Saving overwrites: ${listed(both)}.`}
        </Note>
      )}
    </div>
  );
}
