import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { needsProof } from '../api/client.ts';
import { endpointOf, isDescribing, listening, type Written } from '../api/requests.ts';
import { atWorkOf } from '../lib/at-work.ts';
import { useTexts } from '../lib/texts.ts';
import { failureText } from './failure.tsx';
import { Dialog } from './dialog.tsx';
import { ProveDialog } from './prove-dialog.tsx';
import { ShellLines } from './shell-lines.tsx';

type Note = {
  id: number;
  text: string;
  kind: 'good' | 'bad';
  undo?: () => void;
  /** The message that was sent for it. */
  sent?: readonly Written[];
};
type Act = {
  /**
   * Does something that changes the service, and resolves with whether it was done. The form or button that asked for it takes no second
   * press meanwhile. The note about it has the requests for it; a form that leads to what it has made tells nothing. A failure is told,
   * unless `onFailure` takes it. Where the session must be proven first, its person is asked, and it is done afterwards. `undo` takes
   * back what was told, for 8 seconds.
   */
  act(
    what: () => Promise<unknown>,
    options?: {
      told?: string | (() => string | undefined);
      undo?: () => Promise<unknown>;
      onFailure?: (error: unknown) => void;
    },
  ): Promise<boolean>;
  tell(text: string, kind?: Note['kind']): void;
  /** Does it when 8 seconds are over, unless the person takes it back. A page that is closed before then does it at once. */
  actLater(
    text: string,
    what: () => Promise<unknown>,
    options: { onUndone: () => void; told?: () => string | undefined },
  ): void;
};

const ActContext = createContext<Act | undefined>(undefined);
const SHOWN_MS = 6_000;
const UNDO_MS = 8_000;

export function useActs(): Act {
  const acts = useContext(ActContext);
  if (acts === undefined) throw new Error('no provider of acts here');
  return acts;
}

export function ActProvider({ children }: { children: ReactNode }) {
  const t = useTexts();
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const [shown, setShown] = useState<readonly Written[]>();
  const [asked, setAsked] = useState<(isProven: boolean) => void>();
  const nextId = useRef(1);
  const remove = useCallback((id: number) => setNotes((all) => all.filter((note) => note.id !== id)), []);
  const add = useCallback(
    (note: Omit<Note, 'id'>, forMs: number): number => {
      const id = nextId.current++;
      setNotes((all) => [...all.slice(-3), { ...note, id }]);
      // A failure stays until it was read.
      if (note.kind === 'good') setTimeout(() => remove(id), forMs);
      return id;
    },
    [remove],
  );
  const value = useMemo((): Act => {
    const tell: Act['tell'] = (text, kind = 'good') => void add({ text, kind }, SHOWN_MS);
    const attempt: Act['act'] = async (what, { told, undo, onFailure } = {}) => {
      for (let isProven = false; ; isProven = true) {
        const sent: Written[] = [];
        try {
          await listening(what, sent);
          const isOfKeys = sent.some((each) => endpointOf(each)?.isPersonal !== true);
          const text =
            typeof told === 'function'
              ? told()
              : (told ?? (onFailure === undefined && isOfKeys ? t.common.done : undefined));
          if (text !== undefined && undo !== undefined) {
            const takeBack = (): void => {
              remove(id);
              void act(undo);
            };
            const id = add({ text, kind: 'good', sent, undo: takeBack }, UNDO_MS);
          } else if (text !== undefined) add({ text, kind: 'good', sent }, SHOWN_MS);
          return true;
        } catch (error) {
          if (!isProven && needsProof(error)) {
            const isDone = await new Promise<boolean>((resolve) => setAsked(() => resolve));
            setAsked(undefined);
            if (isDone) continue;
            return false;
          }
          if (onFailure === undefined) tell(failureText(error, t), 'bad');
          else onFailure(error);
          return false;
        }
      }
    };
    const act: Act['act'] = async (what, options) => {
      if (!isDescribing()) return atWorkOf(() => attempt(what, options));
      what().catch(() => undefined);
      return false;
    };
    return {
      act,
      tell,
      actLater(text, what, { onUndone, ...options }) {
        if (isDescribing()) {
          what().catch(() => undefined);
          return;
        }
        let isOver = false;
        const now = (): void => {
          if (isOver) return;
          isOver = true;
          window.removeEventListener('pagehide', now);
          void act(what, options);
        };
        window.addEventListener('pagehide', now);
        setTimeout(now, UNDO_MS);
        const undo = (): void => {
          if (isOver) return;
          isOver = true;
          window.removeEventListener('pagehide', now);
          remove(id);
          onUndone();
        };
        const id = add({ text, kind: 'good', undo }, UNDO_MS);
      },
    };
  }, [add, remove, t]);
  return (
    <ActContext value={value}>
      {children}
      <div className="told" role="status" aria-live="polite">
        {notes.map(({ id, text, kind, undo, sent = [] }) => (
          <div key={id} className={`note ${kind}`}>
            <span>{text}</span>
            <span className="buttons">
              {undo !== undefined && (
                <button type="button" className="button" onClick={undo}>
                  {t.common.undo}
                </button>
              )}
              {sent.length > 0 && (
                <button type="button" className="button plain mono" onClick={() => setShown(sent)}>
                  curl
                </button>
              )}
              <button type="button" className="button plain" onClick={() => remove(id)} aria-label={t.common.close}>
                ×
              </button>
            </span>
          </div>
        ))}
      </div>
      {shown !== undefined && (
        <Dialog title={t.shell.title} onClose={() => setShown(undefined)}>
          <div className="form">
            <ShellLines of={shown} />
            <div className="buttons">
              <button type="button" className="button" data-focus onClick={() => setShown(undefined)}>
                {t.common.close}
              </button>
            </div>
          </div>
        </Dialog>
      )}
      {asked !== undefined && <ProveDialog onEnd={asked} />}
    </ActContext>
  );
}
