import { useState } from 'react';
import { isDescribing } from '../api/requests.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';

/** The fields of a form by their names. Each value is plain: two that look the same as JSON are the same. */
type Fields = Readonly<Record<string, unknown>>;

type Saving<T> = {
  /** Asks the service for the thing as it is now. */
  read: () => Promise<T>;
  /** Begins with its request at once: `curl` describes it. */
  send: () => Promise<unknown>;
  /** Makes the page read the thing anew. */
  refresh: () => Promise<unknown>;
  onFailure: (error: unknown) => void;
};

export type Edits<T extends Fields> = {
  /** The thing as it is, with what was written over it. */
  values: T;
  /** The fields that were written and are not saved. A field that is written as the thing has it counts no more. */
  written: Partial<T>;
  write: (part: Partial<T>) => void;
  /** Fields of the thing that have changed since the first one was written. Empty while nothing is written. */
  newer: readonly (keyof T & string)[];
  /** Drops what was written: in these fields, or in all. */
  drop: (names?: readonly (keyof T & string)[]) => void;
  save: (saving: Saving<T>) => void;
};

/**
 * The fields of a form over a thing that may change meanwhile: by another person, a schedule, or the page's own buttons. Untouched fields
 * follow the thing, and those that were written stay as they are. The API knows no condition on a change (no If-Match), so a save reads
 * the thing first: where somebody has changed a written field and the page has not told so yet, nothing is sent and the page tells it. Two
 * people who save within that moment still overwrite each other.
 */
export function useEdits<T extends Fields>(thing: T): Edits<T> {
  const t = useTexts();
  const { act } = useActs();
  const [edits, setEdits] = useState<{ begun: T; written: Partial<T> }>();
  const [isSaving, setIsSaving] = useState(false);
  const written: Partial<T> = edits?.written ?? {};
  const without = (before: typeof edits, isOver: (name: string, value: unknown) => boolean): typeof edits => {
    const left = Object.entries(before?.written ?? {}).filter(([name, value]) => !isOver(name, value));
    // `as`: the fields that are left are those of before.
    return before === undefined || left.length === 0
      ? undefined
      : { ...before, written: Object.fromEntries(left) as Partial<T> };
  };
  /** Whether somebody else has given this field of the thing another value than `seen`. */
  const isMoved = (now: T, name: keyof T, seen: T): boolean =>
    !isAlike(now[name], seen[name]) && !(name in written && isAlike(now[name], written[name]));
  const save = async ({ read, send, refresh, onFailure }: Saving<T>): Promise<void> => {
    let isSent = false;
    // While the answer is read back, the thing has what was sent, perhaps written in another way.
    setIsSaving(true);
    await act(
      async () => {
        if (!isDescribing()) {
          const now = await read();
          if (Object.keys(written).some((name) => isMoved(now, name, thing))) {
            await refresh();
            return;
          }
        }
        await send();
        isSent = true;
        await refresh();
      },
      { told: () => (isSent ? t.common.saved : undefined), onFailure },
    );
    setIsSaving(false);
    if (!isSent) return;
    // A field that was written on meanwhile is kept.
    setEdits((before) => {
      const left = without(before, (name, value) => name in written && isAlike(value, written[name]));
      return left && { ...left, begun: { ...left.begun, ...written } };
    });
  };
  return {
    values: { ...thing, ...written },
    written,
    write: (part) =>
      setEdits((before) =>
        without(
          { begun: before?.begun ?? thing, written: { ...before?.written, ...part } },
          // `as`: the names are those of the fields.
          (name, value) => isAlike(value, thing[name as keyof T]),
        ),
      ),
    newer:
      edits === undefined || isSaving ? [] : Object.keys(thing).filter((name) => isMoved(thing, name, edits.begun)),
    drop: (names) => setEdits((before) => without(before, (name) => names === undefined || names.includes(name))),
    save: (saving) => void save(saving),
  };
}

const isAlike = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
