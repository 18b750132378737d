import clsx from 'clsx';
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { BoxHead } from '../layout.tsx';

/** A bordered box around code: its title and small controls above, and what belongs to the code above and below it. */
export function CodeBox({
  title,
  label,
  note,
  end,
  above,
  below,
  className,
  children,
  ref,
  onKeyDown,
}: {
  /** If absent, the box has no header. */
  title?: ReactNode;
  label: string;
  note?: ReactNode;
  end?: ReactNode;
  above?: ReactNode;
  below?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
  onKeyDown?: (event: KeyboardEvent) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div
      ref={ref}
      role="group"
      aria-label={label}
      className={clsx(
        'flex min-w-0 flex-col overflow-hidden rounded-8 border border-line-strong bg-surface',
        className,
      )}
      onKeyDown={onKeyDown}
    >
      {title !== undefined && <BoxHead title={title} note={note} end={end} />}
      {above !== undefined && <div className="border-b border-line">{above}</div>}
      {children}
      {below !== undefined && <div className="border-t border-line">{below}</div>}
    </div>
  );
}

/** Names with their values above code, such as the headers of a request. An undefined value was not sent. */
export function CodeFacts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="mono grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-3 py-2">
      {facts.map(([name, value], at) => (
        <div key={at} className="col-span-2 grid grid-cols-subgrid">
          <dt className="truncate text-text-3">{name}</dt>
          <dd className={clsx('min-w-0 [overflow-wrap:anywhere]', value === undefined && 'text-text-3')}>
            {value ?? 'not sent'}
          </dd>
        </div>
      ))}
    </dl>
  );
}
