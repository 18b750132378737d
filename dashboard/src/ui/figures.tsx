import clsx from 'clsx';
import type { ReactNode } from 'react';

export type Figure = {
  label: ReactNode;
  value: ReactNode;
  unit?: string | undefined;
  /** The change since an earlier time, red only if it is for the worse. */
  delta?: { text: string; look: 'plain' | 'bad' | 'good' } | undefined;
  /** Shown below: a sparkline or a sentence. */
  below?: ReactNode;
};

/** The key figures of a page, in one box. */
export function FigureStrip({ figures, label }: { figures: readonly Figure[]; label: string }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-2 overflow-hidden rounded-8 border border-line-strong md:auto-cols-fr md:grid-flow-col md:grid-cols-none"
    >
      {figures.map(({ label: name, value, unit, delta, below }, at) => (
        <div
          key={at}
          className="min-w-0 border-line px-4 pt-3.5 pb-3 max-md:nth-[even]:border-l max-md:nth-[n+3]:border-t md:not-first:border-l"
        >
          <dt className="flex items-center gap-1.5 text-12 text-text-2">{name}</dt>
          <dd className="mt-0.5 flex items-baseline gap-1 text-24 font-medium tracking-tight whitespace-nowrap tabular-nums">
            {value}
            {unit !== undefined && <span className="text-13 font-normal tracking-normal text-text-2">{unit}</span>}
            {delta !== undefined && (
              <span
                className={clsx(
                  'ml-auto truncate pl-2 text-12 font-medium tracking-normal max-md:hidden',
                  delta.look === 'bad' ? 'text-failed' : delta.look === 'good' ? 'text-delivered' : 'text-text-3',
                )}
              >
                {delta.text}
              </span>
            )}
          </dd>
          {below !== undefined && <dd className="mt-2">{below}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** A sparkline, a chart the size of a word. The figure next to it says what it shows. */
export function Sparkline({
  values,
  isBad = false,
  label,
  className = 'h-8 w-full',
}: {
  /** One value per time step; undefined if nothing was measured. */
  values: readonly (number | undefined)[];
  isBad?: boolean;
  label?: string;
  className?: string;
}) {
  const known = values.filter((value) => value !== undefined);
  const [low, high] = [Math.min(0, ...known), Math.max(1e-9, ...known)];
  const step = 100 / Math.max(1, values.length - 1);
  const y = (value: number): number => 26 - ((value - low) / (high - low)) * 24;
  const parts: string[][] = [[]];
  values.forEach((value, at) => {
    if (value === undefined) parts.push([]);
    else parts.at(-1)?.push(`${(at * step).toFixed(1)},${y(value).toFixed(1)}`);
  });
  const drawn = parts.filter((part) => part.length > 1);
  return (
    <svg
      viewBox="0 0 100 28"
      preserveAspectRatio="none"
      className={clsx('block', isBad ? 'text-failed-solid' : 'text-accent', className)}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {drawn.map((part) => (
        <g key={part[0]}>
          <polygon
            points={`${part[0]?.split(',')[0]},28 ${part.join(' ')} ${part.at(-1)?.split(',')[0]},28`}
            className="fill-current opacity-10"
          />
          <polyline
            points={part.join(' ')}
            className="fill-none stroke-current [stroke-width:1.5] [vector-effect:non-scaling-stroke]"
          />
        </g>
      ))}
    </svg>
  );
}
