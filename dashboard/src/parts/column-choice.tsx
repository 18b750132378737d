import { useEffect, useRef, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';
import { useTexts } from '../lib/texts.ts';

type Headed = { head: string };

/** The columns of a list that its person wants to see, and those that were hidden, by this browser and for this list. */
export function useColumns<T extends Headed>(list: string, all: readonly T[]) {
  const name = `hidden.${list}` as const;
  const [hidden, setHidden] = useState<readonly string[]>(() => (kept(name) ?? '').split('\n'));
  const shown = all.filter(({ head }) => !hidden.includes(head));
  return {
    // A list without columns says nothing: then all are shown.
    shown: shown.length === 0 ? all : shown,
    toggle(head: string): void {
      const next = hidden.includes(head) ? hidden.filter((each) => each !== head) : [...hidden, head];
      keep(name, next.join('\n'));
      setHidden(next);
    },
  };
}

/** Chooses which columns of a list are shown. The first one says which row it is, and stays. */
export function ColumnChoice({
  all,
  shown,
  onToggle,
}: {
  all: readonly Headed[];
  shown: readonly Headed[];
  onToggle: (head: string) => void;
}) {
  const t = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    // A look at the list below closes it, as everywhere.
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) setIsOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  return (
    <span
      ref={box}
      className="column-choice"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        // A row that is open beside the list stays.
        event.nativeEvent.stopImmediatePropagation();
        setIsOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        className="button plain"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t.list.columns}
      </button>
      {isOpen && (
        <div className="box stack">
          {all.slice(1).map(({ head }) => (
            <label key={head} className="check">
              <input
                type="checkbox"
                checked={shown.some((each) => each.head === head)}
                onChange={() => onToggle(head)}
              />
              {head}
            </label>
          ))}
        </div>
      )}
    </span>
  );
}
