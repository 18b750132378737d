import clsx from 'clsx';

const GROUNDS = {
  delivered: 'bg-delivered-solid',
  running: 'bg-accent-fill',
  failed: 'bg-failed-solid',
  pending: 'bg-pending-solid',
} as const;

/** A progress bar, split by the outcome of its parts. Every part is drawn, however small; the rest is still to come. */
export function SplitProgress({
  label,
  whole,
  parts,
  isThin = false,
}: {
  /** The same in words. */
  label: string;
  whole: number;
  parts: readonly { tone: keyof typeof GROUNDS; value: number }[];
  isThin?: boolean;
}) {
  const most = Math.max(whole, 1e-9);
  const done = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round((done / most) * 100))}
      aria-valuetext={label}
      className={clsx(
        'flex min-w-10 overflow-hidden rounded-full bg-pressed',
        isThin ? 'h-1.5 gap-px' : 'h-2.5 gap-0.5',
      )}
    >
      {parts.map(
        ({ tone, value }) =>
          value > 0 && (
            <span
              key={tone}
              className={clsx('min-w-1 transition-[width] duration-(--enter)', GROUNDS[tone])}
              style={{ width: `${Math.min(100, (value / most) * 100)}%` }}
            />
          ),
      )}
    </div>
  );
}
