import { useVirtualizer } from '@tanstack/react-virtual';
import clsx from 'clsx';
import { Braces, Check, ChevronRight, ListCollapse, type LucideIcon, Route } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { canOpen, childrenOf, type JsonNode, openNodes, rootOf } from '../../lib/json-nodes.ts';
import { Button, IconButton } from '../button.tsx';
import { useCopy } from '../copy.tsx';
import { Tip } from '../tooltip.tsx';
import { textSize } from './size.ts';

/** Height of a row in pixels. */
const ROW = 22;
/** Characters of a value to show; the copy button copies all of it. */
const SHOWN = 240;
/** Values are open at first as long as the tree has no more rows than this. */
const OPEN_AT_FIRST = 24;

const COLOURS: Readonly<Record<JsonNode['kind'], string | undefined>> = {
  object: undefined,
  array: undefined,
  text: 'text-code-string [unicode-bidi:isolate]',
  number: 'text-code-number',
  word: 'text-code-atom',
};

/**
 * A tree of JSON whose objects and arrays open one by one. A document of 256 KiB costs one pass over its text, and only
 * rows in view are in the DOM. `root` is the prefix of the copied paths.
 */
export function JsonTree({ json, label, root = '$' }: { json: string; label: string; root?: string }) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  // Nodes are parsed once, when they are opened.
  const { top, below } = useMemo(() => reading(json, root), [json, root]);
  const [open, setOpen] = useState<{ of: JsonNode; paths: ReadonlySet<string> }>();
  const paths = useMemo(() => (open?.of === top ? open.paths : firstOpen(top, below)), [open, top, below]);
  const [chosen, setChosen] = useState(0);
  const rows = useMemo(() => openNodes(top, ({ path }) => paths.has(path), below), [top, paths, below]);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 4,
    paddingStart: 6,
    paddingEnd: 6,
  });
  const at = Math.min(chosen, rows.length - 1);
  const current = rows[at];
  const toggle = (node: JsonNode, isOpen: boolean): void => {
    const next = new Set(paths);
    if (isOpen) next.add(node.path);
    else next.delete(node.path);
    setOpen({ of: top, paths: next });
  };
  const choose = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setChosen(next);
    view.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (current === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = paths.has(current.path);
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => choose(at + 1),
      ArrowUp: () => choose(at - 1),
      PageDown: () => choose(at + 10),
      PageUp: () => choose(at - 10),
      Home: () => choose(0),
      End: () => choose(rows.length - 1),
      ArrowRight: () => {
        if (!canOpen(current)) return;
        if (isOpen) choose(at + 1);
        else toggle(current, true);
      },
      ArrowLeft: () => {
        if (isOpen && canOpen(current)) toggle(current, false);
        else choose(rows.slice(0, at).findLastIndex(({ level }) => level < current.level));
      },
      Enter: () => canOpen(current) && toggle(current, !isOpen),
      ' ': () => canOpen(current) && toggle(current, !isOpen),
    };
    const key = keys[event.key];
    if (key === undefined) return;
    // Otherwise the arrow keys would move in the adjacent list as well.
    event.preventDefault();
    event.stopPropagation();
    key();
  };
  return (
    <>
      <div
        ref={box}
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={onKeyDown}
        className="mono group/tree max-h-[min(560px,70dvh)] grow overflow-auto bg-sunken outline-none"
      >
        <div role="presentation" className="relative" style={{ height: view.getTotalSize() }}>
          {view.getVirtualItems().map(({ index, start }) => {
            const node = rows[index];
            if (node === undefined) return null;
            const isOpen = canOpen(node) ? paths.has(node.path) : undefined;
            return (
              // The tree itself handles the keys.
              <div
                key={index}
                id={`${id}-${index}`}
                role="treeitem"
                aria-level={node.level}
                aria-setsize={node.siblings}
                aria-posinset={node.position}
                aria-expanded={isOpen}
                aria-selected={index === at}
                className="absolute inset-x-0 flex h-5.5 items-center overflow-hidden pr-3 text-ellipsis whitespace-pre hover:bg-hover aria-selected:bg-selected group-focus-visible/tree:aria-selected:outline-2 group-focus-visible/tree:aria-selected:-outline-offset-2 group-focus-visible/tree:aria-selected:outline-focus"
                style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + Math.min(node.level - 1, 16) * 16 }}
                onClick={() => {
                  setChosen(index);
                  if (isOpen !== undefined) toggle(node, !isOpen);
                }}
              >
                <span className="grid w-4.5 shrink-0 place-items-center text-text-3">
                  {isOpen !== undefined && (
                    <ChevronRight
                      size={12}
                      strokeWidth={2}
                      aria-hidden="true"
                      className={clsx(isOpen && 'rotate-90')}
                    />
                  )}
                </span>
                {node.name !== undefined && (
                  <span className={typeof node.name === 'number' ? 'text-text-3' : 'text-code-key'}>{node.name}</span>
                )}
                {node.name !== undefined && ': '}
                <Value of={node} isOpen={isOpen} count={isOpen === undefined ? 0 : below(node).length} />
              </div>
            );
          })}
        </div>
      </div>
      <div className="flex items-center gap-0.5 border-t border-line py-0.75 pr-1.5 pl-3">
        <Tip text={<span className="mono">{current?.path}</span>}>
          <code className="min-w-0 grow truncate text-text-2">{current?.path}</code>
        </Tip>
        <CopyAs icon={Route} label="Copy path" text={() => current?.path ?? ''} />
        <CopyAs icon={Braces} label="Copy value" text={() => current?.text ?? ''} />
        <IconButton
          icon={ListCollapse}
          label="Collapse all"
          size="small"
          onClick={() => {
            setOpen({ of: top, paths: new Set([top.path]) });
            choose(0);
          }}
        />
      </div>
    </>
  );
}

function CopyAs({ icon, label, text }: { icon: LucideIcon; label: string; text: () => string }) {
  const [isCopied, copy] = useCopy();
  return (
    <>
      <Button look="quiet" size="small" icon={isCopied ? Check : icon} onClick={() => copy(text())}>
        {label}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}

type Below = (node: JsonNode) => JsonNode[];

function reading(json: string, root: string): { top: JsonNode; below: Below } {
  const known = new Map<JsonNode, JsonNode[]>();
  return {
    top: rootOf(json, root),
    below: (node) => {
      const found = known.get(node) ?? childrenOf(node);
      known.set(node, found);
      return found;
    },
  };
}

/** The root, and as many values below it as a few rows can show. */
function firstOpen(top: JsonNode, below: Below): ReadonlySet<string> {
  const open = new Set([top.path]);
  let count = 1;
  const next = [top];
  for (let node = next.shift(); node !== undefined; node = next.shift()) {
    const children = below(node);
    if (node !== top && count + children.length > OPEN_AT_FIRST) continue;
    open.add(node.path);
    count += children.length;
    if (count < OPEN_AT_FIRST) next.push(...children.filter(canOpen));
  }
  return open;
}

function Value({ of: { kind, text }, isOpen, count }: { of: JsonNode; isOpen: boolean | undefined; count: number }) {
  if (kind === 'object' || kind === 'array') {
    const [begin, end] = kind === 'object' ? ['{', '}'] : ['[', ']'];
    if (isOpen === undefined) return begin + end;
    const items = kind === 'object' ? 'member' : 'item';
    return (
      <>
        {isOpen ? begin : `${begin}…${end}`}
        <span className="ml-2 text-text-3">
          {count} {count === 1 ? items : `${items}s`}
          {text.length > 1_024 && `, ${textSize(text)}`}
        </span>
      </>
    );
  }
  return (
    <span className={COLOURS[kind]}>
      {text.length > SHOWN ? text.slice(0, SHOWN) : text}
      {text.length > SHOWN && <span className="text-text-3">… {textSize(text)}</span>}
    </span>
  );
}
