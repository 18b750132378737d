import clsx from 'clsx';
import { Rocket } from 'lucide-react';
import { Icon } from '../icon.tsx';
import { toneIcon } from '../status.tsx';
import { roundShareText } from './numbers.ts';
import type { ChartMark, ChartTone } from './series.ts';

export type TipRow = { key: string; label: string; tone: ChartTone; value: number | undefined };

/** The values at the crosshair. Hidden from screen readers, because the slider around it announces them too. */
export function ChartTip({
  time,
  rows,
  hasShares,
  format,
  marks,
  x,
  width,
}: {
  time: string;
  rows: readonly TipRow[];
  hasShares: boolean;
  format: (value: number) => string;
  marks: readonly ChartMark[];
  /** Position of the crosshair in a plot of this width. */
  x: number;
  width: number;
}) {
  const sum = rows.reduce((all, { value = 0 }) => all + value, 0);
  const shown = hasShares ? rows.filter(({ value = 0 }) => value > 0) : rows;
  const isLeft = x > width / 2;
  // Shifts if the tip would not fit into the plot.
  const spacer = <div style={{ flex: `0 1 ${(isLeft ? width - x : x) + 8}px` }} />;
  return (
    <div
      aria-hidden="true"
      className={clsx('pointer-events-none absolute inset-x-0 top-0 z-20 flex items-start', isLeft && 'justify-end')}
    >
      {!isLeft && spacer}
      <div className="flex-none rounded-6 bg-tip px-2.25 py-1.5 text-12 leading-4.5 text-on-tip tabular-nums shadow-2">
        <div className="whitespace-nowrap">{time}</div>
        {marks.map(({ at, label }) => (
          <div key={`${at} ${label}`} className="flex items-center gap-1.5 text-on-tip-2">
            <Icon of={Rocket} isSmall />
            <span className="max-w-44 truncate">{label}</span>
          </div>
        ))}
        <div
          className={clsx('grid gap-x-2', hasShares ? 'grid-cols-[14px_auto_auto_auto]' : 'grid-cols-[14px_auto_auto]')}
        >
          {shown.map(({ key, label, tone, value }) => (
            <div key={key} className="col-span-full grid grid-cols-subgrid items-center">
              <ToneMark tone={tone} />
              <span className="max-w-44 truncate">{label}</span>
              <span className="text-right font-bold">{value === undefined ? '—' : format(value)}</span>
              {hasShares && <span className="text-right text-on-tip-2">{roundShareText(value ?? 0, sum)}</span>}
            </div>
          ))}
        </div>
        {shown.length === 0 && <div className="text-on-tip-2">None</div>}
      </div>
      {isLeft && spacer}
    </div>
  );
}

/** Identifies a series by shape: the icon of its state, or a line as thick as its own. */
function ToneMark({ tone }: { tone: ChartTone }) {
  return tone === 'accent' || tone === 'quiet' ? (
    <span className={clsx('w-3.5 rounded-full bg-current', tone === 'accent' ? 'h-0.75' : 'h-px')} />
  ) : (
    <Icon of={toneIcon(tone)} isSmall />
  );
}
