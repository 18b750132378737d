import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { canOpen, childrenOf, type JsonNode, openNodes, rootOf } from '../lib/json-nodes.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText } from '../lib/units.ts';
import { CopyButton } from './copy-button.tsx';
import { useWindow } from './use-window.ts';

/** Height of a row in pixels, as json-tree.css has it. */
const ROW = 22;
/** Letters of a value that are shown: the whole of it is copied. */
const SHOWN = 240;

/**
 * JSON whose objects and arrays open one by one. A document of 256 KiB costs one look over its text, and only rows in view are elements.
 * `root` begins the paths that are copied.
 */
export function JsonTree({ json, label, root }: { json: string; label: string; root: string }) {
  const t = useTexts();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const top = useMemo(() => rootOf(json, root), [json, root]);
  // Nodes are read once, when they are opened.
  const known = useRef(new Map<JsonNode, JsonNode[]>());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([root]));
  const [chosen, setChosen] = useState(0);
  const below = (node: JsonNode): JsonNode[] => {
    const found = known.current.get(node) ?? childrenOf(node);
    known.current.set(node, found);
    return found;
  };
  const rows = useMemo(() => openNodes(top, ({ path }) => open.has(path), below), [top, open]);
  const { first, end, show } = useWindow(box, rows.length, ROW);
  const at = Math.min(chosen, rows.length - 1);
  const current = rows[at];
  const toggle = (node: JsonNode, isOpen: boolean): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (isOpen) next.add(node.path);
      else next.delete(node.path);
      return next;
    });
  const choose = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setChosen(next);
    show(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (current === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = open.has(current.path);
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
    // Arrows would move in the list beside it as well.
    event.preventDefault();
    event.stopPropagation();
    key();
  };
  return (
    <div className="json-tree">
      <div
        ref={box}
        className="rows"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: rows.length * ROW }}>
          {rows.slice(first, end).map((node, place) => {
            const index = first + place;
            const isOpen = canOpen(node) ? open.has(node.path) : undefined;
            return (
              // The tree itself takes the keys.
              <div
                key={index}
                id={`${id}-${index}`}
                role="treeitem"
                aria-level={node.level}
                aria-setsize={node.siblings}
                aria-posinset={node.position}
                aria-expanded={isOpen}
                aria-selected={index === at}
                className="row"
                style={{ transform: `translateY(${index * ROW}px)`, paddingInlineStart: 8 + (node.level - 1) * 16 }}
                onClick={() => {
                  setChosen(index);
                  if (isOpen !== undefined) toggle(node, !isOpen);
                }}
              >
                <span className="opener" aria-hidden="true">
                  {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
                </span>
                {node.name !== undefined && (
                  <>
                    <span className={typeof node.name === 'number' ? 'muted' : 'json-key'}>{node.name}</span>
                    {': '}
                  </>
                )}
                <Value of={node} isOpen={isOpen} count={canOpen(node) ? below(node).length : 0} />
              </div>
            );
          })}
        </div>
      </div>
      <div className="buttons">
        <code className="cut">{current?.path}</code>
        <CopyButton text={current?.path ?? ''} label={t.tree.copyPath} />
        <CopyButton text={current?.text ?? ''} label={t.tree.copyValue} />
        <button type="button" className="button plain" onClick={() => setOpen(new Set([root]))}>
          {t.tree.close}
        </button>
      </div>
    </div>
  );
}

function Value({ of: { kind, text }, isOpen, count }: { of: JsonNode; isOpen: boolean | undefined; count: number }) {
  const t = useTexts();
  if (kind === 'object' || kind === 'array') {
    const [begins, ends] = kind === 'object' ? ['{', '}'] : ['[', ']'];
    if (isOpen === undefined) return begins + ends;
    return (
      <>
        {isOpen ? begins : `${begins}…${ends}`}{' '}
        <span className="muted">
          {t.tree.holds(count)}
          {text.length > 1_024 && `, ${bytesText(text.length, t.units)}`}
        </span>
      </>
    );
  }
  return (
    <span className={`json-${kind}`}>
      {text.length > SHOWN ? text.slice(0, SHOWN) : text}
      {text.length > SHOWN && <span className="muted">… {bytesText(text.length, t.units)}</span>}
    </span>
  );
}
