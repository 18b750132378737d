import clsx from 'clsx';
import type { ReactNode } from 'react';
import { type Tone, toneIcon, toneText } from '../status.tsx';
import { Icon } from '../icon.tsx';
import { type ChartTone, groundOf } from './series.ts';

export type LegendEntry = { key: string; label: string; tone: ChartTone; count?: ReactNode };

/**
 * The legend of a chart. `row` goes above a chart and is left out for a single series; `column` goes next to a narrow
 * chart and shows totals. A press passes the key to `onToggle`, which hides the series, or to `onPick`, which filters a
 * list by it.
 */
export function ChartLegend({
  entries,
  form = 'row',
  kind = 'bars',
  label = 'Legend',
  hidden = [],
  onToggle,
  onPick,
}: {
  entries: readonly LegendEntry[];
  form?: 'row' | 'column';
  kind?: 'bars' | 'lines';
  label?: string;
  /** Keys of hidden series. */
  hidden?: readonly string[];
  onToggle?: ((key: string) => void) | undefined;
  onPick?: ((key: string) => void) | undefined;
}) {
  if (form === 'row' && entries.length < 2) return null;
  const onPress = onToggle ?? onPick;
  return (
    <ul
      aria-label={label}
      className={clsx(
        'flex text-12 text-text-2',
        form === 'row'
          ? 'flex-wrap gap-x-3 gap-y-1'
          : 'min-w-37 flex-col justify-center gap-x-3.5 max-md:flex-row max-md:flex-wrap max-md:justify-start',
      )}
    >
      {entries.map((entry) => {
        const isHidden = hidden.includes(entry.key);
        const shown = <Entry entry={entry} form={form} kind={kind} isHidden={isHidden} />;
        const className = clsx(
          'flex w-full items-center gap-1.5 rounded-4 whitespace-nowrap',
          onPress === undefined ? 'h-5' : 'h-6 pointer-coarse:h-8',
          isHidden && 'text-text-3 line-through',
        );
        return (
          <li key={entry.key}>
            {onPress === undefined ? (
              <span className={className}>{shown}</span>
            ) : (
              <button
                type="button"
                className={clsx(className, 'hover:text-text')}
                {...(onToggle !== undefined && { 'aria-pressed': !isHidden })}
                onClick={() => onPress(entry.key)}
              >
                {shown}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Entry({
  entry: { label, tone, count },
  form,
  kind,
  isHidden,
}: {
  entry: LegendEntry;
  form: 'row' | 'column';
  kind: 'bars' | 'lines';
  isHidden: boolean;
}) {
  return (
    <>
      {form === 'column' && isTone(tone) ? (
        <Icon of={toneIcon(tone)} isSmall className={isHidden ? 'text-text-3' : toneText(tone)} />
      ) : (
        <span
          aria-hidden="true"
          className={clsx(
            'shrink-0',
            kind === 'bars' ? 'size-2 rounded-[2px]' : 'h-0.5 w-3 rounded-full',
            isHidden ? 'bg-line-strong' : groundOf(tone),
          )}
        />
      )}
      {label}
      {count !== undefined && (
        <span className={clsx('tabular-nums', form === 'column' && 'font-medium text-text md:ml-auto md:pl-3')}>
          {count}
        </span>
      )}
    </>
  );
}

const isTone = (tone: ChartTone): tone is Tone => tone !== 'accent' && tone !== 'quiet';
