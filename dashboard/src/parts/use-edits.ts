import { useEffect, useState } from 'react';
import { isDescribing } from '../api/requests.ts';
import { type Edit, type FormFields, movedFields, withSaved, withSeen, withWritten } from '../lib/edits.ts';
import { useSession } from '../lib/session.ts';
import { useActs } from './acts.tsx';

type Saving<T> = {
  /** The fields to send. If absent: the edited ones. */
  names?: readonly (keyof T & string)[];
  /** Fetches the thing as it is now. If absent, saving overwrites it unconditionally. */
  read?: () => Promise<T>;
  /** Sends its request synchronously, so that `curl` can describe it. Returns the thing as it is afterwards. */
  send: () => Promise<T>;
  /** Makes the page refetch the thing. */
  refresh: () => Promise<unknown>;
  onFailure: (error: unknown) => void;
  /** The message shown once it is saved. */
  told?: string;
};

export type Edits<T extends FormFields> = {
  /** The thing as it is, with the edits applied. */
  values: T;
  /** The edited fields that are not saved. A field set back to the thing's value no longer counts. */
  written: Partial<T>;
  write: (part: Partial<T>) => void;
  /** Fields of the thing that have changed since the user saw them. Empty while nothing is edited. */
  newer: readonly (keyof T & string)[];
  /** Accepts the thing as it is: edits stay in fields that nobody else has changed. */
  take: () => void;
  save: (saving: Saving<T>) => void;
  /** Saves, and resolves when that is over. */
  saveNow: (saving: Saving<T>) => Promise<void>;
  /** Edits that were made before this page was left are restored, and not yet saved. */
  isRestored: boolean;
  /** Discards the edits. */
  drop: () => void;
};

/**
 * Unsaved edits, by user and form, until this tab is closed. They are never in browser storage, because a definition
 * may contain what others should not read there.
 */
const left = new Map<string, Edit<FormFields>>();

function leave(name: string, edit: Edit<FormFields>): void {
  if (edit === undefined) left.delete(name);
  else left.set(name, edit);
}

/** Returns the edits in forms that were left (`keptAs` below), and a function that drops them. */
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
 * Manages the fields of a form for a thing that may change meanwhile: through another user, a schedule, or the page's
 * own buttons. Fields that were not edited follow the thing, and edited ones stay.
 *
 * The API has no conditional updates (no If-Match), so saving first fetches the thing. If someone has changed a field
 * that is to be sent and the page has not shown that yet, nothing is sent and the page shows it. Two users who save
 * within that moment still overwrite each other.
 *
 * `keptAs`: a name under which edits outlive the page; the browser then asks before the tab is closed.
 */
export function useEdits<T extends FormFields>(thing: T, keptAs?: string): Edits<T> {
  const { act } = useActs();
  const { user } = useSession();
  const name = keptAs === undefined ? undefined : `${user.id} ${keptAs}`;
  // `as`: a name belongs to one form.
  const leftOf = (name: string): Edit<T> => left.get(name) as Edit<T>;
  // A field that the thing now has as it was edited is no longer an edit.
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
    // While the response is fetched, the thing has what was sent, perhaps written in another way.
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
    // The page may have been left before the response, and then none of its code runs any more.
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
