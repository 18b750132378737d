import { useState } from 'react';
import { useRefresh } from '../lib/refresh.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Ask } from './ask.tsx';
import { useGo } from './link.tsx';

type Given = {
  /** The question. */
  title: string;
  /** The consequence. */
  why: string;
  /** A text that must be typed first. */
  typed?: string | undefined;
  /** Deletes it. */
  what: () => Promise<unknown>;
  /** The page to go to afterwards. */
  to: string;
};

/** Deletes the thing that a page shows, once its person has said so twice, and leads to its list. */
export function DeleteButton({ title, why, typed, what, to }: Given) {
  const t = useTexts();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button type="button" className="button danger" onClick={() => setIsAsking(true)}>
        {t.common.delete}
      </button>
      {isAsking && (
        <Ask
          title={title}
          go={t.common.delete}
          isDanger
          typed={typed}
          onClose={() => setIsAsking(false)}
          onGo={() =>
            void act(
              async () => {
                await what();
                go(to);
                await refresh();
              },
              { told: t.common.deleted },
            )
          }
        >
          <p>{why}</p>
        </Ask>
      )}
    </>
  );
}
