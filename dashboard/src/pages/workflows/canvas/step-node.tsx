import type { NodeProps } from '@xyflow/react';
import clsx from 'clsx';
import {
  CircleAlert,
  CircleCheck,
  CircleSlash,
  Flag,
  Loader,
  type LucideIcon,
  OctagonX,
  Pause,
  Stamp,
  TriangleAlert,
} from 'lucide-react';
import { memo, type PointerEvent } from 'react';
import type { FlowEnd } from '../../../lib/flow-graph.ts';
import { ROLE_LOOKS } from '../../../lib/step-words.ts';
import type { StepState } from '../../../lib/taken-ways.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Tip } from '../../../ui/tooltip.tsx';
import type { CapNode, GroupNode, StepNode } from './types.ts';

const STATES: Readonly<Record<StepState, { icon: LucideIcon; word: string; look: string }>> = {
  done: { icon: CircleCheck, word: 'Completed', look: 'text-delivered' },
  failed: { icon: OctagonX, word: 'Failed', look: 'text-failed' },
  running: { icon: Loader, word: 'Running', look: 'text-accent' },
  waiting: { icon: Stamp, word: 'Waiting', look: 'text-held' },
  skipped: { icon: CircleSlash, word: 'Skipped', look: 'text-text-3' },
};

/** A step, or the trigger: its icon by kind, its id, and one line that says what it does. */
export const StepCard = memo(function StepCard({ data }: NodeProps<StepNode>) {
  const { icon, role, title, isCode, line, kindName, isSelected, problems, state, isOff, failure, handles } = data;
  const told = [
    line === '' ? '' : kindName,
    state !== undefined && STATES[state].word,
    problems > 0 && (problems === 1 ? '1 problem' : `${problems} problems`),
  ].filter((part) => typeof part === 'string' && part !== '');
  return (
    <div
      className={clsx(
        'group/step relative h-full w-full rounded-8 data-[drop=true]:ring-2 data-[drop=true]:ring-focus',
      )}
      data-step={data.key}
    >
      <button
        type="button"
        aria-pressed={isSelected}
        data-node={data.key}
        onClick={() => data.onSelect?.(data.key)}
        onKeyDown={(event) => data.onKey?.(event, data.key)}
        className={clsx(
          'nopan block h-full w-full rounded-8 border text-left outline-offset-3',
          data.isCompact ? 'pr-8 pl-9.5' : 'py-2.5 pr-3 pl-11',
          isOff ? 'bg-sunken text-text-3' : 'bg-raised shadow-1',
          isSelected
            ? 'border-focus ring-1 ring-focus'
            : problems > 0 || state === 'failed'
              ? 'border-failed'
              : state === 'running' || state === 'waiting'
                ? 'border-accent'
                : isOff
                  ? 'border-line hover:border-line-strong'
                  : 'border-line-strong hover:border-line-input',
        )}
      >
        <span
          className={clsx(
            'absolute grid place-items-center rounded-6',
            data.isCompact ? 'top-1.75 left-1.75 size-6' : 'top-2.75 left-2.75 size-6.5',
            isOff ? 'bg-hover text-text-3' : ROLE_LOOKS[role],
          )}
        >
          <Icon of={icon} />
        </span>
        <span title={title} className={clsx('block truncate', isCode ? 'mono font-medium' : 'font-medium leading-4.5')}>
          {title}
        </span>
        <span
          title={line}
          className={data.isCompact ? 'sr-only' : clsx('block truncate text-12 leading-5', !isOff && 'text-text-2')}
        >
          {line === '' ? kindName : line}
        </span>
        {told.length > 0 && <span className="sr-only">{told.join(', ')}</span>}
      </button>
      {state !== undefined && (
        <span className={clsx('absolute top-2.5 right-2.5 rounded-full bg-raised', STATES[state].look)}>
          <Icon of={STATES[state].icon} className={state === 'running' ? 'animate-spin' : undefined} />
        </span>
      )}
      {problems > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-2.5 -right-1.5 inline-flex h-4.5 items-center gap-1 rounded-full bg-danger-fill px-1.5 text-11 font-medium text-on-fill tabular-nums"
        >
          <TriangleAlert size={11} strokeWidth={2.25} />
          {problems}
        </span>
      )}
      {failure !== undefined && <FailureStub end={failure.end} isShort={!failure.isLikely || data.isInner} />}
      {handles.map(({ name, path }, at) => (
        <Tip key={name} text={name === 'next' ? 'Drag to the next step' : `Drag to a step: ${name}`}>
          <span
            aria-hidden="true"
            data-handle={name}
            onPointerDown={(event: PointerEvent) => data.onDrag?.(event, data.key, path)}
            className={clsx(
              'nopan absolute -bottom-1.75 block size-3.5 -translate-x-1/2 touch-none cursor-crosshair rounded-full border-2 border-raised opacity-0 group-hover/step:opacity-100',
              name === 'on error' || name === 'on timeout' ? 'bg-line-input' : 'bg-accent-fill',
            )}
            // "On error" leaves at the left, and all others around the middle.
            style={{
              left:
                name === 'on error'
                  ? 24
                  : `${50 + (at - (handles.length - 2) / 2) * Math.min(24, 72 / handles.length)}%`,
            }}
          />
        </Tip>
      ))}
    </div>
  );
});

/** What happens if nothing handles a failure of the step. Every step has it, so it is drawn small. */
function FailureStub({ end, isShort }: { end: FlowEnd; isShort: boolean }) {
  return (
    <span className="absolute top-5.5 right-full flex h-4 items-center">
      <Tip text={`On error: ${end.text.charAt(0).toLowerCase()}${end.text.slice(1)}`}>
        <span className="inline-flex h-5 items-center gap-1 rounded-full border border-line-strong bg-surface px-1 text-11 whitespace-nowrap text-text-3">
          <CircleAlert size={11} strokeWidth={2} aria-hidden="true" />
          <span className={isShort ? 'sr-only' : 'pr-0.5'}>
            <span className="sr-only">On error: </span>
            {end.text}
          </span>
        </span>
      </Tip>
      <span aria-hidden="true" className="w-4 border-t border-dashed border-edge" />
    </span>
  );
}

const CAPS: Readonly<Record<FlowEnd['kind'], LucideIcon>> = {
  completed: Flag,
  failed: OctagonX,
  cancelled: CircleSlash,
  paused: Pause,
  inner: CircleCheck,
};

/** The end of a transition. */
export const EndCap = memo(function EndCap({ data: { end, isOff } }: NodeProps<CapNode>) {
  return (
    <span
      className={clsx(
        'inline-flex h-6 w-full items-center justify-center gap-1.25 rounded-full border bg-surface px-2 text-11 whitespace-nowrap',
        isOff ? 'border-line text-text-3' : 'border-line-strong text-text-2',
      )}
    >
      <Icon of={CAPS[end.kind]} isSmall className="size-3 text-text-3" />
      {end.text}
    </span>
  );
});

/** The border around a loop or around branches. */
export const GroupBox = memo(function GroupBox({ data: { label } }: NodeProps<GroupNode>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="h-full w-full rounded-12 border border-dashed border-line-input bg-hover/60"
    />
  );
});
