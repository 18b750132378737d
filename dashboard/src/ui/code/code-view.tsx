import clsx from 'clsx';
import { Eye, EyeOff, Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { isJsonText } from '../../lib/json-text.ts';
import { IconButton } from '../button.tsx';
import { CopyButton } from '../copy.tsx';
import { Select } from '../select.tsx';
import { CodeBox } from './code-box.tsx';
import { CODE_GROUND, NumberedLines } from './code-lines.tsx';
import { CodeSearch } from './code-search.tsx';
import { jsonLines, textLines } from './json-lines.ts';
import { JsonTree } from './json-tree.tsx';
import { findMatches, NO_MATCHES } from './matches.ts';
import { MOST_PLAIN } from './rows.tsx';
import { textSize } from './size.ts';

export type CodeViewName = 'pretty' | 'tree' | 'raw';

export type CodeViewGiven = {
  /** The text as it is stored. The copy button copies exactly this. */
  text: string;
  /** Names the code: `Request`, `Payload`. */
  label: string;
  /** If absent: JSON if the text is an object or an array. */
  language?: 'json' | 'text';
  /**
   * The initial view, or the one kept by the page if `onView` is given. If absent, it depends on the size of the text.
   */
  view?: CodeViewName;
  onView?: (view: CodeViewName) => void;
  /** Prefix of the paths in the tree. */
  root?: string;
  /** No header and no line numbers: for commands to copy. */
  isBare?: boolean;
  /** Shown instead of the size. */
  note?: ReactNode;
  /** Further small controls, before the copy button. */
  end?: ReactNode;
  /** Headers above the code (`CodeFacts`), and a note below it. */
  above?: ReactNode;
  below?: ReactNode;
  /** Shows dots instead of the text until the user reveals it. */
  isSecret?: boolean;
  /** What is shown for an empty text. */
  empty?: string;
  /** Whether the line of a value is highlighted, by its path: `$.customer.vatId`. */
  isMarked?: (path: string) => boolean;
  /** Short code is shown in full, without a scroll bar of its own. */
  isWhole?: boolean;
  className?: string;
};

/** Larger JSON opens as a tree, because it is hard to find a value in it by scrolling. */
const MOST_ON_LINES = 65_536;
/** With this many lines or more, the header has a search button. */
const SEARCHED_FROM = 25;

const VIEWS = [
  { value: 'pretty', label: 'Pretty' },
  { value: 'tree', label: 'Tree' },
  { value: 'raw', label: 'Raw' },
] as const;

/**
 * Displays JSON or text with line numbers, folding, search and a copy button. Digits and escapes are those of the text.
 */
export function CodeView({
  text,
  label,
  language,
  view: given,
  onView,
  isBare = false,
  isSecret = false,
  ...rest
}: CodeViewGiven) {
  const [own, setOwn] = useState<CodeViewName>();
  const [isRevealed, setIsRevealed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isHidden = isSecret && !isRevealed;
  const isJson = useMemo(
    () => language !== 'text' && (language === 'json' || /^\s*[[{]/.test(text)) && isJsonText(text),
    [text, language],
  );
  const wanted = (onView === undefined ? (own ?? given) : given) ?? (text.length > MOST_ON_LINES ? 'tree' : 'pretty');
  const view = isJson ? wanted : 'raw';
  const lines = useMemo(() => {
    if (isHidden || view === 'tree') return [];
    return view === 'pretty' ? jsonLines(text, rest.root) : textLines(text);
  }, [text, view, isHidden, rest.root]);
  const [folded, setFolded] = useState<{ of: unknown; lines: ReadonlySet<number> }>({ of: lines, lines: new Set() });
  const foldedLines = folded.of === lines ? folded.lines : NONE;
  const search = useSearch(lines);
  const setView = (next: CodeViewName): void => {
    setOwn(next);
    onView?.(next);
  };
  const openSearch = (): void => {
    // A tree opens value by value; the search works on lines.
    if (view === 'tree') setView('pretty');
    search.open();
  };
  const fold = (line: number): void => {
    const next = new Set(foldedLines);
    if (!next.delete(line)) next.add(line);
    setFolded({ of: lines, lines: next });
  };
  const step = (by: 1 | -1): void => {
    const line = search.step(by);
    if (line === undefined) return;
    const hides = [...foldedLines].filter((each) => each < line && line <= (lines[each]?.end ?? 0));
    if (hides.length > 0)
      setFolded({ of: lines, lines: new Set([...foldedLines].filter((each) => !hides.includes(each))) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (text === '' || isHidden) return;
    event.preventDefault();
    event.stopPropagation();
    openSearch();
  };
  // Virtualised rows need a box that scrolls.
  const height = rest.isWhole === true && lines.length <= MOST_PLAIN ? undefined : 'max-h-[min(560px,70dvh)]';
  const copy = <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />;
  const shown = isHidden ? (
    <p className={clsx(CODE_GROUND, 'py-2')}>
      <span className="px-3 text-text-3" aria-label="Hidden">
        ••••••••••••••••••••••••
      </span>
    </p>
  ) : text === '' ? (
    <p className="grow bg-sunken px-3 py-2.5 text-text-3">{rest.empty ?? 'Empty body'}</p>
  ) : view === 'tree' ? (
    <JsonTree json={text} label={label} root={rest.root ?? '$'} />
  ) : (
    <NumberedLines
      lines={lines}
      label={label}
      box={box}
      matches={search.matches}
      current={search.current}
      folded={foldedLines}
      onFold={fold}
      hasNumbers={!isBare && !isSecret}
      isMarked={rest.isMarked}
      className={clsx(height, isBare && 'pr-8')}
    />
  );
  const reveal = isSecret && (
    <IconButton
      icon={isHidden ? Eye : EyeOff}
      label={isHidden ? 'Reveal' : 'Hide'}
      size="small"
      onClick={() => setIsRevealed(isHidden)}
    />
  );
  return (
    <CodeBox
      label={label}
      {...(!isBare && { title: label })}
      note={rest.note ?? (text === '' || isSecret ? undefined : textSize(text))}
      end={
        <>
          {isJson && !isHidden && (
            <Select
              look="quiet"
              size="small"
              label="View"
              options={VIEWS}
              value={view}
              onChange={(next) => setView(next as CodeViewName)}
            />
          )}
          {(view === 'tree' || lines.length >= SEARCHED_FROM) && (
            <IconButton icon={Search} label="Find" keys="⌘F" size="small" onClick={openSearch} />
          )}
          {rest.end}
          {reveal}
          {text !== '' && copy}
        </>
      }
      above={rest.above}
      below={rest.below}
      className={rest.className}
      onKeyDown={onKeyDown}
    >
      {search.isOpen && (
        <CodeSearch
          query={search.query}
          onQuery={search.setQuery}
          count={search.matches.lines.length}
          current={search.current?.match ?? 0}
          onStep={step}
          onClose={() => {
            search.close();
            box.current?.focus();
          }}
          opened={search.opened}
        />
      )}
      {isBare && (text !== '' || isSecret) ? (
        <div className="relative flex min-h-0 grow flex-col">
          {shown}
          <div className="absolute top-1 right-1 flex rounded-6 bg-sunken">
            {reveal}
            {copy}
          </div>
        </div>
      ) : (
        shown
      )}
    </CodeBox>
  );
}

const NONE: ReadonlySet<number> = new Set();

/** The search of some lines: the search text, the matches, and the current one. */
function useSearch(lines: Parameters<typeof findMatches>[0]) {
  const [opened, setOpened] = useState(0);
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState<{ match: number }>();
  const wanted = useDeferredValue(opened === 0 ? '' : query);
  const matches = useMemo(() => (wanted === '' ? NO_MATCHES : findMatches(lines, wanted)), [lines, wanted]);
  const count = matches.lines.length;
  return {
    isOpen: opened > 0,
    opened,
    query,
    matches,
    current: current !== undefined && current.match < count ? current : undefined,
    open: () => setOpened((before) => before + 1),
    close: () => {
      setOpened(0);
      setCurrent(undefined);
    },
    setQuery: (next: string) => {
      setQuery(next);
      setCurrent({ match: 0 });
    },
    /** Goes to another match, wrapping around at the ends. Returns its line. */
    step: (by: 1 | -1): number | undefined => {
      if (count === 0) return undefined;
      const match = ((current?.match ?? -1) + by + count) % count;
      setCurrent({ match });
      return matches.lines[match];
    },
  };
}
