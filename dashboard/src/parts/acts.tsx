import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { isApiError, needsProof } from '../api/client.ts';
import { endpointOf, isDescribing, listening, type Written } from '../api/requests.ts';
import { atWorkOf } from '../lib/at-work.ts';
import { Button } from '../ui/button.tsx';
import { closeToast, toast } from '../ui/toast.tsx';
import { EquivalentRequest } from './equivalent-request.tsx';
import { failureText } from './failure-text.ts';
import { ProveDialog } from './prove-dialog.tsx';

type Act = {
  /**
   * Runs an action that changes the service, and resolves with whether it succeeded. Until then the form or button that
   * started it ignores further presses. The toast about it offers the requests that were sent; a form that leads to
   * what it has created shows no toast. A failure is shown as a toast unless `onFailure` handles it. If the session
   * must be verified again or has ended, the user is asked, and the action runs afterwards. `undo` reverts the
   * announced action; it is offered for 8 seconds.
   */
  act(
    what: () => Promise<unknown>,
    options?: {
      told?: string | (() => string | undefined);
      undo?: () => Promise<unknown>;
      onFailure?: (error: unknown) => void;
    },
  ): Promise<boolean>;
  tell(text: string, kind?: 'good' | 'bad'): void;
  /** Runs the action after 8 seconds unless the user undoes it. If the page is closed before then, it runs at once. */
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
  const [shown, setShown] = useState<readonly Written[]>();
  const [asked, setAsked] = useState<(isProven: boolean) => void>();
  const client = useQueryClient();
  const value = useMemo((): Act => {
    const tell: Act['tell'] = (text, kind = 'good') => void toast(text, { kind });
    /** Shows a toast about what was done, with an undo button if possible, and the requests that were sent. */
    const tellDone = (text: string, sent: readonly Written[], undo?: () => void): string => {
      const id = toast(text, {
        forMs: undo === undefined ? SHOWN_MS : UNDO_MS,
        actions: (
          <>
            {undo !== undefined && (
              <Button size="small" look="quiet" onClick={undo}>
                Undo
              </Button>
            )}
            {sent.length > 0 && (
              <Button size="small" look="quiet" onClick={() => setShown(sent)}>
                cURL
              </Button>
            )}
          </>
        ),
      });
      return id;
    };
    const attempt: Act['act'] = async (what, { told, undo, onFailure } = {}) => {
      let isProven = false;
      let isSignedInAgain = false;
      for (;;) {
        const sent: Written[] = [];
        try {
          await listening(what, sent);
          const isOfKeys = sent.some((each) => endpointOf(each)?.isPersonal !== true);
          const text =
            typeof told === 'function' ? told() : (told ?? (onFailure === undefined && isOfKeys ? 'Done' : undefined));
          if (text !== undefined && undo !== undefined) {
            const id = tellDone(text, sent, () => {
              closeToast(id);
              void act(undo);
            });
          } else if (text !== undefined) tellDone(text, sent);
          return true;
        } catch (error) {
          if (!isProven && needsProof(error)) {
            const isDone = await new Promise<boolean>((resolve) => setAsked(() => resolve));
            setAsked(undefined);
            if (!isDone) return false;
            isProven = true;
            continue;
          }
          if (
            !isSignedInAgain &&
            isApiError(error, 'UNAUTHORIZED') &&
            client.getQueryState(['session']) !== undefined
          ) {
            await nextSession(client);
            isSignedInAgain = true;
            continue;
          }
          if (onFailure === undefined) tell(failureText(error), 'bad');
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
        const id = tellDone(text, [], () => {
          if (isOver) return;
          isOver = true;
          window.removeEventListener('pagehide', now);
          closeToast(id);
          onUndone();
        });
      },
    };
  }, [client]);
  return (
    <ActContext value={value}>
      {children}
      {shown !== undefined && <EquivalentRequest of={shown} onClose={() => setShown(undefined)} />}
      {asked !== undefined && <ProveDialog onEnd={asked} />}
    </ActContext>
  );
}

/** Makes the gate of the pages notice that the session has ended, and waits for the user to sign in again. */
const nextSession = (client: QueryClient): Promise<void> =>
  new Promise((resolve) => {
    const end = client.getQueryCache().subscribe((event) => {
      const [name] = event.query.queryKey as readonly unknown[];
      if (name !== 'session' || event.type !== 'updated' || event.action.type !== 'success') return;
      end();
      resolve();
    });
    void client.invalidateQueries({ queryKey: ['session'] });
  });
