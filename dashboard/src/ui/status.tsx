import clsx from 'clsx';
import {
  CalendarClock,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  Loader,
  type LucideIcon,
  OctagonX,
  RotateCw,
  Stamp,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** The meaning of a state for the user. Each has its own icon, so that colour is never the only difference. */
export const TONES = [
  'delivered',
  'failed',
  'retrying',
  'pending',
  'held',
  'running',
  'cancelled',
  'approval',
  'scheduled',
] as const;
export type Tone = (typeof TONES)[number];

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
  delivered: CircleCheck,
  failed: OctagonX,
  retrying: RotateCw,
  pending: CircleDashed,
  held: CirclePause,
  running: Loader,
  cancelled: CircleSlash,
  approval: Stamp,
  scheduled: CalendarClock,
};

const TEXT: Readonly<Record<Tone, string>> = {
  delivered: 'text-delivered',
  failed: 'text-failed',
  retrying: 'text-retrying',
  pending: 'text-pending',
  held: 'text-held',
  running: 'text-accent',
  cancelled: 'text-pending',
  approval: 'text-held',
  scheduled: 'text-pending',
};

const SOFT: Readonly<Record<Tone, string>> = {
  delivered: 'bg-delivered-soft',
  failed: 'bg-failed-soft',
  retrying: 'bg-retrying-soft',
  pending: 'bg-pending-soft',
  held: 'bg-held-soft',
  running: 'bg-accent-soft',
  cancelled: 'bg-pending-soft',
  approval: 'bg-held-soft',
  scheduled: 'bg-pending-soft',
};

/** The classes of a tone, for parts with its colour. */
export const toneText = (tone: Tone): string => TEXT[tone];
export const toneGround = (tone: Tone): string => SOFT[tone];
export const toneIcon = (tone: Tone): LucideIcon => ICONS[tone];

export function StatusIcon({ tone, label, isSmall = true }: { tone: Tone; label?: string; isSmall?: boolean }) {
  return <Icon of={ICONS[tone]} isSmall={isSmall} label={label} className={TEXT[tone]} />;
}

/** A state in a row: a coloured icon, and a label in the text colour. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-top whitespace-nowrap">
      <StatusIcon tone={tone} />
      {children}
    </span>
  );
}

/** A state in the heading of a page. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex h-5.5 shrink-0 items-center gap-1.25 rounded-full pr-2 pl-1.5 text-12 font-medium tracking-normal whitespace-nowrap',
        SOFT[tone],
        TEXT[tone],
      )}
    >
      <StatusIcon tone={tone} />
      {children}
    </span>
  );
}
