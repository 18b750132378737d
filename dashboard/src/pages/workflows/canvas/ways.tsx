import clsx from 'clsx';
import { Plus } from 'lucide-react';
import { type FlowWay, TRIGGER } from '../../../lib/flow-graph.ts';
import type { TakenWays } from '../../../lib/taken-ways.ts';
import { Tip } from '../../../ui/tooltip.tsx';
import type { PlacedWay } from './layout.ts';

type Given = {
  ways: readonly PlacedWay[];
  /** Transitions that the run has taken. Undefined if there is no run. */
  taken: TakenWays | undefined;
  /** The transition whose menu is open. */
  open: string | undefined;
  onAdd: ((way: FlowWay, anchor: Element) => void) | undefined;
  nameOf: (key: string) => string;
  width: number;
  height: number;
};

/** Every transition of the workflow: its line, its label, and a button that inserts a step. */
export function Ways({ ways, taken, open, onAdd, nameOf, width, height }: Given) {
  return (
    <>
      <svg
        aria-hidden="true"
        className="pointer-events-none absolute top-0 left-0 overflow-visible"
        width={Math.max(1, width)}
        height={Math.max(1, height)}
      >
        {ways.map(({ way, path, tip }) => (
          <g
            key={way.id}
            className={clsx(
              taken?.has(way.id) === true
                ? way.end?.kind === 'failed'
                  ? 'text-failed-solid'
                  : taken.get(way.id) === 'skipped'
                    ? 'text-edge'
                    : 'text-delivered-solid'
                : 'text-edge',
              taken?.has(way.id) === false && 'opacity-50',
            )}
          >
            <path
              d={path}
              className={clsx(
                'fill-none stroke-current',
                taken?.has(way.id) === true ? '[stroke-width:2]' : '[stroke-width:1.5]',
                way.isDashed && '[stroke-dasharray:4_4]',
              )}
            />
            {tip !== undefined && (
              <path d={`M${tip.x - 4.5} ${tip.y - 9}h9l-4.5 8z`} className="fill-current stroke-none" />
            )}
          </g>
        ))}
      </svg>
      {ways.map(({ way, labelAt, plusAt }) => (
        <div key={way.id}>
          {labelAt !== undefined && (
            <span
              className={clsx(
                'absolute max-w-33 -translate-1/2 truncate rounded-full border bg-surface px-1.75 text-11 leading-4.5',
                taken?.has(way.id) === false ? 'border-line text-text-3' : 'border-line-strong text-text-2',
              )}
              style={{ left: labelAt.x, top: labelAt.y }}
              title={wordsOf(way, taken)}
            >
              {wordsOf(way, taken)}
            </span>
          )}
          {onAdd !== undefined && takesStep(way) && (
            <span className="absolute -translate-1/2" style={{ left: plusAt.x, top: plusAt.y }}>
              <Tip text="Add a step here">
                <button
                  type="button"
                  aria-label={plusName(way, nameOf)}
                  aria-haspopup="listbox"
                  aria-expanded={open === way.id}
                  onClick={({ currentTarget }) => onAdd(way, currentTarget)}
                  className={clsx(
                    'nopan pointer-events-auto relative grid size-4.5 place-items-center rounded-full border before:absolute before:-inset-1.5 pointer-coarse:size-7',
                    open === way.id
                      ? 'border-transparent bg-accent-fill text-on-fill'
                      : 'border-line-strong bg-surface text-text-2 hover:border-transparent hover:bg-accent-fill hover:text-on-fill',
                  )}
                >
                  <Plus size={12} strokeWidth={2} aria-hidden="true" />
                </button>
              </Tip>
            </span>
          )}
        </div>
      ))}
    </>
  );
}

const wordsOf = (way: FlowWay, taken: TakenWays | undefined): string =>
  taken?.get(way.id) === 'skipped' ? 'skipped' : way.labels.join(', ');

/** A transition that no member names, such as that of a filter whose expression is false, does not accept a step. */
const takesStep = ({ from, slots }: FlowWay): boolean =>
  from === TRIGGER || slots.some(({ path }) => path !== undefined);

/** The accessible name of a button says which transition it is on. */
function plusName(way: FlowWay, nameOf: (key: string) => string): string {
  const words = way.labels.length === 0 ? '' : ` (${way.labels.join(', ')})`;
  return way.to === undefined
    ? `Add a step after ${nameOf(way.from)}${words}`
    : `Add a step between ${nameOf(way.from)} and ${nameOf(way.to)}${words}`;
}
