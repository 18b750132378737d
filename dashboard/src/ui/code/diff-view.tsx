import clsx from 'clsx';
import { UnfoldVertical } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Icon } from '../icon.tsx';
import { Segmented } from '../tabs.tsx';
import { CodeBox } from './code-box.tsx';
import { CODE_GROUND, gutterStyle } from './code-lines.tsx';
import { changedPart, type DiffRow, type DiffSide, shortRows, sideRows, unifiedRows } from './diff-rows.ts';
import { CodeRows } from './rows.tsx';

const NONE: ReadonlySet<number> = new Set();

/**
 * Compares two texts by line: what differs, with a few lines of context. Side by side if there is room, otherwise one
 * below the other.
 */
export function DiffView({
  before,
  after,
  label,
  beforeLabel,
  afterLabel,
  look: first = 'split',
  same = 'No differences',
  end,
  className,
}: {
  before: string;
  after: string;
  label: string;
  /** What each text is: `Version 4`, `Draft`. */
  beforeLabel: string;
  afterLabel: string;
  look?: 'split' | 'unified';
  /** Shown if no line differs. */
  same?: ReactNode;
  end?: ReactNode;
  className?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const hasRoom = useHasRoom();
  const [look, setLook] = useState(first);
  const isSplit = look === 'split' && hasRoom;
  const sides = useMemo(() => sideRows(before, after), [before, after]);
  const all = useMemo(() => (isSplit ? sides : unifiedRows(sides)), [sides, isSplit]);
  const [opened, setOpened] = useState<{ of: unknown; gaps: ReadonlySet<number> }>({ of: all, gaps: NONE });
  const gaps = opened.of === all ? opened.gaps : NONE;
  const rows = useMemo(() => shortRows(all, gaps), [all, gaps]);
  const added = sides.filter((row) => !row.isSame && row.after !== undefined).length;
  const removed = sides.filter((row) => !row.isSame && row.before !== undefined).length;
  return (
    <CodeBox
      label={label}
      title={label}
      note={
        added + removed > 0 && (
          <span className="tabular-nums">
            <span className="text-delivered">+{added}</span> <span className="text-failed">−{removed}</span>
          </span>
        )
      }
      end={
        <>
          {hasRoom && (
            <Segmented
              label="Layout"
              options={[
                { value: 'split', label: 'Split' },
                { value: 'unified', label: 'Unified' },
              ]}
              value={look}
              onChange={(next) => setLook(next === 'split' ? 'split' : 'unified')}
            />
          )}
          {end}
        </>
      }
      className={className}
    >
      {isSplit && (
        <div className="grid grid-cols-2 border-b border-line text-12 text-text-3">
          <span className="truncate px-3 py-1">{beforeLabel}</span>
          <span className="truncate border-l border-line px-3 py-1">{afterLabel}</span>
        </div>
      )}
      {added + removed === 0 ? (
        <p className="bg-sunken px-3 py-2.5 text-text-3">{same}</p>
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
        <div
          ref={box}
          role="group"
          aria-label={`${label}: ${beforeLabel} and ${afterLabel}`}
          tabIndex={0}
          className={clsx(CODE_GROUND, 'max-h-[min(640px,80dvh)]')}
          style={gutterStyle(all.length)}
        >
          <CodeRows box={box} count={rows.length}>
            {(place) => {
              const row = rows[place];
              if (row === undefined) return null;
              if ('count' in row)
                return (
                  <button
                    type="button"
                    className="flex w-full items-center gap-1.5 bg-hover px-2 py-0.5 font-sans text-12 text-text-3 outline-offset-[-2px] hover:text-text"
                    onClick={() => setOpened({ of: all, gaps: new Set([...gaps, row.from]) })}
                  >
                    <Icon of={UnfoldVertical} isSmall />
                    {row.count} unchanged lines
                  </button>
                );
              return isSplit ? <SplitRow row={row} /> : <UnifiedRow row={row} />;
            }}
          </CodeRows>
        </div>
      )}
    </CodeBox>
  );
}

function SplitRow({ row: { isSame, before, after } }: { row: DiffRow }) {
  const part = !isSame && before && after ? changedPart(before.text, after.text) : undefined;
  return (
    <div className="grid grid-cols-2">
      <Side side={before} kind={isSame ? 'same' : 'removed'} part={part && [part.head, part.before]} />
      <Side side={after} kind={isSame ? 'same' : 'added'} part={part && [part.head, part.after]} isSecond />
    </div>
  );
}

const UnifiedRow = ({ row: { isSame, before, after } }: { row: DiffRow }) =>
  isSame ? (
    <Side side={after} kind="same" />
  ) : before === undefined ? (
    <Side side={after} kind="added" />
  ) : (
    <Side side={before} kind="removed" />
  );

const KINDS = {
  same: { Element: 'span', sign: '', ground: '', strong: '' },
  removed: { Element: 'del', sign: '−', ground: 'bg-failed-soft', strong: 'bg-failed-solid/30' },
  added: { Element: 'ins', sign: '+', ground: 'bg-delivered-soft', strong: 'bg-delivered-solid/35' },
} as const;

function Side({
  side,
  kind,
  part,
  isSecond = false,
}: {
  side: DiffSide | undefined;
  kind: keyof typeof KINDS;
  /** The part that differs from the line on the other side. */
  part?: readonly [from: number, to: number] | undefined;
  isSecond?: boolean;
}) {
  const { Element, sign, ground, strong } = KINDS[kind];
  const border = isSecond && 'border-l border-line';
  if (side === undefined) return <div className={clsx('bg-hover', border)} />;
  const { number, text } = side;
  const hang = `${Math.min(/^ */.exec(text)?.[0].length ?? 0, 24) + 2}ch`;
  return (
    <div
      data-line={number}
      className={clsx(
        'relative min-h-4.5 min-w-0 pr-3 whitespace-pre-wrap [overflow-wrap:anywhere]',
        'before:absolute before:left-0 before:w-[calc(var(--gutter)-18px)] before:text-right before:indent-0 before:text-text-3 before:content-[attr(data-line)_/_""]',
        ground,
        border,
      )}
      style={{ paddingLeft: `calc(var(--gutter) + 1ch + ${hang})`, textIndent: `-${hang}` }}
    >
      <span aria-hidden="true" className="absolute left-[calc(var(--gutter)-10px)] indent-0 text-text-2 select-none">
        {sign}
      </span>
      <Element className="no-underline">
        {part === undefined || part[0] === part[1] ? (
          text
        ) : (
          <>
            {text.slice(0, part[0])}
            <span className={clsx('rounded-[2px]', strong)}>{text.slice(...part)}</span>
            {text.slice(part[1])}
          </>
        )}
      </Element>
    </div>
  );
}

const WIDE = '(min-width: 768px)';

const useHasRoom = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(WIDE);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => matchMedia(WIDE).matches,
  );
