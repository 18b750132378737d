import { useEffect, useState } from 'react';
import { isDescribing } from '../api/requests.ts';
import { type Edit, type FormFields, movedFields, withSaved, withSeen, withWritten } from '../lib/edits.ts';
import { useSession } from '../lib/session.ts';
import { useActs } from './acts.tsx';

type Saving<T> = {
  /** The fields that are sent. Absent: those that were written. */
  names?: readonly (keyof T & string)[];
  /** Asks the service for the thing as it is now. Absent: it is replaced whatever it is. */
  read?: () => Promise<T>;
  /** Begins with its request at once: `curl` describes it. Gives the thing as it is since. */
  send: () => Promise<T>;
  /** Makes the page read the thing anew. */
  refresh: () => Promise<unknown>;
  onFailure: (error: unknown) => void;
  /** What is told once it is saved. */
  told?: string;
};

export type Edits<T extends FormFields> = {
  /** The thing as it is, with what was written over it. */
  values: T;
  /** The fields that were written and are not saved. A field that is written as the thing has it counts no more. */
  written: Partial<T>;
  write: (part: Partial<T>) => void;
  /** Fields of the thing that have changed since their reader has seen them. Empty while nothing is written. */
  newer: readonly (keyof T & string)[];
  /** Takes over the thing as it is: what was written stays where nobody else has changed the field. */
  take: () => void;
  save: (saving: Saving<T>) => void;
  /** The same, and resolves once it is over. */
  saveNow: (saving: Saving<T>) => Promise<void>;
  /** Fields that were written before this page was left stand here again, and are not saved. */
  isRestored: boolean;
  /** Leaves the thing as it is. */
  drop: () => void;
};

/**
 * Fields that were written and not saved, by person and form, until this tab is closed. The storage of the browser has none of it: a
 * definition may hold what nobody else should read there.
 */
const left = new Map<string, Edit<FormFields>>();

function leave(name: string, edit: Edit<FormFields>): void {
  if (edit === undefined) left.delete(name);
  else left.set(name, edit);
}

/** What was written in forms that were left (`keptAs` below), and a way to drop it. */
export function useLeftEdits<T extends FormFields>(): {
  of: (keptAs: string) => Partial<T> | undefined;
  drop: (keptAs: string) => void;
} {
  const { user } = useSession();
  const [, redraw] = useState(0);
  return {
    // `as`: a name belongs to one form.
    of: (keptAs) => (left.get(`${user.id} ${keptAs}`) as Edit<T>)?.written,
    drop(keptAs) {
      left.delete(`${user.id} ${keptAs}`);
      redraw((before) => before + 1);
    },
  };
}

/**
 * The fields of a form over a thing that may change meanwhile: by another person, a schedule, or the page's own buttons. Untouched fields
 * follow the thing, and those that were written stay as they are. The API knows no condition on a change (no If-Match), so a save reads
 * the thing first: where somebody has changed a field that is sent and the page has not told so yet, nothing is sent and the page tells
 * it. Two people who save within that moment still overwrite each other. `keptAs`: a name under which what was written outlives the
 * page, and the browser asks before the tab is closed over it.
 */
export function useEdits<T extends FormFields>(thing: T, keptAs?: string): Edits<T> {
  const { act } = useActs();
  const { user } = useSession();
  const name = keptAs === undefined ? undefined : `${user.id} ${keptAs}`;
  // `as`: a name belongs to one form.
  const leftOf = (name: string): Edit<T> => left.get(name) as Edit<T>;
  // A field that the thing has had since as it was written is no longer an edit.
  const [edit, setEdit] = useState<Edit<T>>(() =>
    name === undefined ? undefined : withWritten(leftOf(name), thing, {}),
  );
  const [isRestored, setIsRestored] = useState(edit !== undefined);
  const isKept = name !== undefined && edit !== undefined;
  useEffect(() => {
    if (name !== undefined) leave(name, edit);
  }, [name, edit]);
  useEffect(() => {
    if (!isKept) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isKept]);
  const [isSaving, setIsSaving] = useState(false);
  const written: Partial<T> = edit?.written ?? {};
  const values = { ...thing, ...written };
  const save = async ({ names, read, send, refresh, onFailure, told = 'Saved' }: Saving<T>): Promise<void> => {
    const isOfSave = (name: string): boolean => names?.includes(name) ?? name in written;
    const saved: { answer?: T } = {};
    // While the answer is read back, the thing has what was sent, perhaps written in another way.
    setIsSaving(true);
    await act(
      async () => {
        if (read !== undefined && !isDescribing()) {
          const now = await read();
          if (movedFields(now, thing, written).some(isOfSave)) {
            await refresh();
            return;
          }
        }
        saved.answer = await send();
        await refresh();
      },
      { told: () => (saved.answer === undefined ? undefined : told), onFailure },
    );
    setIsSaving(false);
    const { answer } = saved;
    if (answer === undefined) return;
    // `as`: the members are those of the fields.
    const sent = Object.fromEntries(Object.entries(values).filter(([name]) => isOfSave(name))) as Partial<T>;
    setEdit((before) => withSaved(before, sent, answer));
    setIsRestored(false);
    // The page may have been left before the answer: nothing of it runs any more.
    if (name !== undefined) leave(name, withSaved(leftOf(name), sent, answer));
  };
  return {
    values,
    written,
    write: (part) => setEdit((before) => withWritten(before, thing, part)),
    newer: edit === undefined || isSaving ? [] : movedFields(thing, edit.seen, edit.written),
    take: () => setEdit((before) => withSeen(before, thing)),
    save: (saving) => void save(saving),
    saveNow: save,
    isRestored: isRestored && edit !== undefined,
    drop() {
      setEdit(undefined);
      setIsRestored(false);
      // The page may be left before the next effect.
      if (name !== undefined) left.delete(name);
    },
  };
}
