import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { MOST_MATCHES } from './matches.ts';

/** The search bar above code. Enter and Shift+Enter go to the next and to the previous match. */
export function CodeSearch({
  query,
  onQuery,
  count,
  current,
  onStep,
  onClose,
  opened,
}: {
  query: string;
  onQuery: (query: string) => void;
  count: number;
  current: number;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
  /** Changes when the search is opened again: its field gets the focus. */
  opened: number;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [opened]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    // Otherwise Escape would close the panel around the code as well.
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
    else onStep(event.shiftKey ? -1 : 1);
  };
  const said =
    query === '' ? '' : count === 0 ? 'No matches' : `${current + 1} of ${count}${count === MOST_MATCHES ? '+' : ''}`;
  return (
    <div className="flex items-center gap-0.5 border-b border-line pr-1.5 pl-3" onKeyDown={onKeyDown}>
      <Icon of={Search} isSmall className="text-text-3" />
      <input
        ref={field}
        type="text"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        placeholder="Find"
        aria-label="Find"
        spellCheck={false}
        autoComplete="off"
        className="mono ml-1 h-8.5 min-w-0 grow bg-transparent outline-none"
      />
      <span role="status" className="px-1.5 text-12 whitespace-nowrap text-text-3 tabular-nums">
        {said}
      </span>
      <IconButton
        icon={ChevronUp}
        label="Previous match"
        keys="⇧Enter"
        size="small"
        isDisabled={count === 0}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label="Next match"
        keys="Enter"
        size="small"
        isDisabled={count === 0}
        onClick={() => onStep(1)}
      />
      <IconButton icon={X} label="Close search" keys="Esc" size="small" onClick={onClose} />
    </div>
  );
}
