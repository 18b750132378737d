import clsx from 'clsx';
import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { StatusIcon, type Tone, toneGround } from './status.tsx';

/**
 * What the user must know first about a page: a bold sentence, a plain one, and the next step. At most one per page.
 */
export function Callout({
  tone,
  title,
  children,
  actions,
  label,
}: {
  tone: Tone;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  label?: string;
}) {
  return (
    <section
      aria-label={label}
      className={clsx('flex flex-wrap items-center gap-x-4 gap-y-2 rounded-8 px-3 py-2.5', toneGround(tone))}
    >
      <p className="flex min-w-60 flex-1 items-start gap-2.25">
        <span className="flex h-5 items-center">
          <StatusIcon tone={tone} isSmall={false} />
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <strong>{title}</strong> {children}
        </span>
      </p>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </section>
  );
}

const NOTES = {
  info: { icon: Info, className: 'bg-accent-soft', iconClass: 'text-accent' },
  warning: { icon: TriangleAlert, className: 'bg-retrying-soft', iconClass: 'text-retrying' },
  error: { icon: CircleAlert, className: 'bg-failed-soft', iconClass: 'text-failed' },
} as const;

/** A note inside a form or a panel. */
export function Note({
  kind = 'info',
  icon,
  children,
  actions,
}: {
  kind?: keyof typeof NOTES;
  icon?: LucideIcon;
  children: ReactNode;
  actions?: ReactNode;
}) {
  const { icon: own, className, iconClass } = NOTES[kind];
  return (
    <div
      className={clsx('flex items-start gap-2.25 rounded-8 px-3 py-2', className)}
      {...(kind === 'error' && { role: 'alert' })}
    >
      <Icon of={icon ?? own} className={clsx('mt-0.5', iconClass)} />
      <div className="min-w-0 grow [overflow-wrap:anywhere]">{children}</div>
      {actions !== undefined && <div className="flex shrink-0 gap-2">{actions}</div>}
    </div>
  );
}
