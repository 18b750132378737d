import clsx from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type CSSProperties, type KeyboardEvent, memo, type RefObject, useMemo } from 'react';
import { type CodeLine, type ColouredPiece, unfolded } from './json-lines.ts';
import { type Matches, markedPieces, type Range } from './matches.ts';
import { CodeRows } from './rows.tsx';

const COLOURS: Readonly<Record<ColouredPiece['kind'], string | undefined>> = {
  key: 'text-code-key',
  // Characters that change the text direction must not affect anything outside the text.
  string: 'text-code-string [unicode-bidi:isolate]',
  number: 'text-code-number',
  atom: 'text-code-atom',
  plain: undefined,
};

/** Maximum indented levels of a deep document: in a narrow panel there would be no room left for the text. */
const MOST_INDENT = 24;

/** Classes of the container of lines, for components that render their own. */
export const CODE_GROUND =
  'mono grow overflow-auto bg-sunken outline-offset-[-2px] [font-variant-ligatures:none] [tab-size:2]';

/** The width of the line number column, for the lines. */
export const gutterStyle = (lines: number | undefined): CSSProperties =>
  // `as`: React's types do not include custom properties.
  ({
    '--gutter': lines === undefined ? '12px' : `calc(${Math.max(2, String(lines).length)}ch + 26px)`,
  }) as CSSProperties;

/** Lines with numbers. Wrapped lines are indented, and objects and arrays can be folded. */
export function NumberedLines({
  lines,
  label,
  box,
  matches,
  current,
  folded,
  onFold,
  hasNumbers,
  isMarked,
  className,
}: {
  lines: readonly CodeLine[];
  label: string;
  box: RefObject<HTMLDivElement | null>;
  matches: Matches;
  /** The match to scroll to. A new object scrolls again. */
  current: { match: number } | undefined;
  folded: ReadonlySet<number>;
  onFold: (line: number) => void;
  hasNumbers: boolean;
  /** Whether the line of a value is highlighted, by its path. */
  isMarked?: ((path: string) => boolean) | undefined;
  className?: string | undefined;
}) {
  const shown = useMemo(() => unfolded(lines, folded), [lines, folded]);
  const target = useMemo(() => {
    const line = current === undefined ? undefined : matches.lines[current.match];
    // The last visible line at or before it: a folded line contains the lines inside it.
    return line === undefined ? undefined : { row: shown.findLastIndex((each) => each <= line) };
  }, [current, matches, shown]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={0}
      className={clsx(CODE_GROUND, 'group/code py-2', !hasNumbers && '[&_[data-line]]:before:hidden', className)}
      style={gutterStyle(hasNumbers ? (lines.at(-1)?.number ?? lines.length) : undefined)}
      onKeyDown={stepFolds}
    >
      <CodeRows box={box} count={shown.length} shown={target}>
        {(row) => {
          const at = shown[row] ?? 0;
          const line = lines[at];
          if (line === undefined) return null;
          return (
            <Line
              at={at}
              line={line}
              close={folded.has(at) && line.end !== undefined ? lines[line.end] : undefined}
              ranges={matches.ranges.get(at)}
              current={current?.match}
              onFold={onFold}
              isMarked={line.path !== undefined && isMarked?.(line.path) === true}
            />
          );
        }}
      </CodeRows>
    </div>
  );
}

/** Arrow keys move between the fold buttons, which are one tab stop. */
function stepFolds(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target } = event;
  if (step === undefined || !(target instanceof HTMLElement) || !('fold' in target.dataset)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-fold]')];
  event.preventDefault();
  event.stopPropagation();
  all[all.indexOf(target) + step]?.focus();
}

const Line = memo(function Line({
  at,
  line,
  close,
  ranges,
  current,
  onFold,
  isMarked,
}: {
  at: number;
  line: CodeLine;
  /** The closing line of a folded one. */
  close: CodeLine | undefined;
  ranges: readonly Range[] | undefined;
  current: number | undefined;
  onFold: (line: number) => void;
  isMarked: boolean;
}) {
  const hang = `${Math.min(line.indent, MOST_INDENT) + 2}ch`;
  return (
    <div
      data-line={line.number}
      className={clsx(
        'relative min-h-4.5 pr-3 whitespace-pre-wrap [overflow-wrap:anywhere]',
        'before:absolute before:left-0 before:w-[calc(var(--gutter)-18px)] before:text-right before:indent-0 before:text-text-3 before:content-[attr(data-line)_/_""]',
        isMarked && 'bg-failed-soft shadow-[inset_2px_0_var(--failed-solid)]',
      )}
      style={{
        paddingLeft: `calc(var(--gutter) + ${hang})`,
        textIndent: line.number === undefined ? undefined : `-${hang}`,
      }}
    >
      {line.end !== undefined && (
        <button
          type="button"
          data-fold
          tabIndex={at === 0 ? 0 : -1}
          aria-expanded={close === undefined}
          aria-label={`Line ${line.number}`}
          onClick={() => onFold(at)}
          className={clsx(
            'absolute left-[calc(var(--gutter)-17px)] grid h-4.5 w-4 place-items-center rounded-4 indent-0 text-text-3 hover:text-text focus-visible:opacity-100 pointer-coarse:opacity-100',
            close === undefined && 'opacity-0 group-hover/code:opacity-100',
          )}
        >
          <ChevronDown
            size={12}
            strokeWidth={2}
            aria-hidden="true"
            className={clsx(close !== undefined && '-rotate-90')}
          />
        </button>
      )}
      <Pieces pieces={ranges === undefined ? line.pieces : markedPieces(line.pieces, ranges)} current={current} />
      {close !== undefined && (
        <>
          <button
            type="button"
            tabIndex={-1}
            aria-label={`Unfold line ${line.number}`}
            onClick={() => onFold(at)}
            className="mx-0.5 rounded-4 bg-pressed px-1 indent-0 text-text-2 hover:text-text"
          >
            …
          </button>
          <Pieces pieces={trimmed(close.pieces)} current={undefined} />
        </>
      )}
    </div>
  );
});

const trimmed = (pieces: readonly ColouredPiece[]): ColouredPiece[] =>
  pieces.map((piece, at) => (at === 0 ? { ...piece, text: piece.text.trimStart() } : piece));

function Pieces({
  pieces,
  current,
}: {
  pieces: readonly (ColouredPiece & { match?: number })[];
  current: number | undefined;
}) {
  return pieces.map(({ text, kind, match }, at) => {
    if (match !== undefined)
      return (
        <mark
          key={at}
          className={clsx(
            'rounded-[2px]',
            match === current ? 'bg-accent-fill text-on-fill' : 'bg-accent-soft text-text ring-1 ring-accent',
          )}
        >
          {text}
        </mark>
      );
    return kind === 'plain' ? (
      text
    ) : (
      <span key={at} className={COLOURS[kind]}>
        {text}
      </span>
    );
  });
}
