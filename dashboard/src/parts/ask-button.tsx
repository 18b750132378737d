import { type ReactNode, useState } from 'react';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Ask } from './ask.tsx';

type Given = {
  /** The word on the button, and on the one that does it. */
  label: string;
  /** More of its name, for those who do not see the row that it stands in. */
  of?: string | undefined;
  /** The question. */
  title: string;
  /** The consequence. */
  why: ReactNode;
  /** The name of what would be changed, which must be typed in the live environment. */
  name?: string | undefined;
  what: () => Promise<unknown>;
  told?: string | undefined;
  looks?: 'danger' | 'plain' | undefined;
  isDisabled?: boolean | undefined;
};

/** A button whose consequence cannot be undone: it asks first, in the live environment by typing a name. */
export function AskButton({ label, of, title, why, name, what, told, looks, isDisabled = false }: Given) {
  const t = useTexts();
  const { environment } = useHere();
  const { act } = useActs();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        className={looks === undefined ? 'button' : `button ${looks}`}
        disabled={isDisabled}
        onClick={() => setIsAsking(true)}
      >
        {label} {of !== undefined && <span className="sr-only">{of}</span>}
      </button>
      {isAsking && (
        <Ask
          title={title}
          go={label}
          // "Cancel" beside "Cancel" would say two things.
          stay={t.ask.leave}
          isDanger
          typed={environment === 'live' ? name : undefined}
          onClose={() => setIsAsking(false)}
          onGo={() => void act(what, told === undefined ? {} : { told })}
        >
          <p>{why}</p>
        </Ask>
      )}
    </>
  );
}
