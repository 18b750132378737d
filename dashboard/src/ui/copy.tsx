import clsx from 'clsx';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { useRowStop } from './grid-row.ts';
import { Tip } from './tooltip.tsx';

const SHOWN_MS = 1_500;

/** Returns whether the text was just copied, and the function that copies it. */
export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (at === 0) return undefined;
    const timer = setTimeout(() => setAt(0), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return [
    at !== 0,
    (text) =>
      void navigator.clipboard.writeText(text).then(
        () => setAt(Date.now()),
        () => undefined,
      ),
  ];
}

/** Copies a text. `text` may be a function, called on each copy. */
export function CopyButton({
  text,
  label = 'Copy',
  size = 'small',
}: {
  text: string | (() => string);
  label?: string;
  size?: 'small' | 'normal';
}) {
  const [isCopied, copy] = useCopy();
  return (
    <>
      <IconButton
        icon={isCopied ? Check : Copy}
        label={label}
        size={size}
        onClick={() => copy(typeof text === 'string' ? text : text())}
      />
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}

/** The end of an id, because all ids of a kind start the same way. */
export const shortId = (id: string): string => `…${id.slice(-6)}`;
/** The end of an id with its prefix, for use within a text. */
export const namedId = (id: string): string => `${id.slice(0, id.indexOf('_') + 1)}${shortId(id)}`;

/** Shows an id by its last six characters; a click copies all of it. */
export function CopyId({ id, isNamed = false, className }: { id: string; isNamed?: boolean; className?: string }) {
  const [isCopied, copy] = useCopy();
  const stop = useRowStop();
  const shown = isNamed ? namedId(id) : shortId(id);
  return (
    <Tip text={isCopied ? 'Copied' : <span className="mono">{id}</span>}>
      <button
        type="button"
        className={clsx('mono rounded-4 text-text-2 hover:text-text', className)}
        {...stop}
        aria-label={`Copy ID ${shown} (${id})`}
        onClick={(event) => {
          event.stopPropagation();
          copy(id);
        }}
      >
        {shown}
      </button>
    </Tip>
  );
}
