import clsx from 'clsx';
import type { LucideIcon } from 'lucide-react';

/** An icon next to a word, or with its own label if it is alone. 14 px in rows, otherwise 16 px. */
export function Icon({
  of: Of,
  isSmall = false,
  label,
  className,
}: {
  of: LucideIcon;
  isSmall?: boolean;
  label?: string | undefined;
  className?: string | undefined;
}) {
  return (
    <Of
      size={isSmall ? 14 : 16}
      strokeWidth={isSmall ? 2 : 1.75}
      className={clsx('shrink-0', className)}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    />
  );
}
