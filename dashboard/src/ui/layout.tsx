import clsx from 'clsx';
import { ChevronRight, type LucideIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from './icon.tsx';

/** The heading of a detail page: its title with its state, what it belongs to, and its actions at the right end. */
export function PageHead({
  icon,
  title,
  badge,
  facts,
  actions,
}: {
  icon?: LucideIcon;
  title: ReactNode;
  badge?: ReactNode;
  /** What it belongs to: one line of links and short facts. */
  facts?: ReactNode;
  /** Two or three actions, and a menu with the others. */
  actions?: ReactNode;
}) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 max-md:basis-full">
        <h1 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-20 font-bold tracking-tight [overflow-wrap:anywhere]">
          {icon !== undefined && <Icon of={icon} className="size-4.5 text-text-3" />}
          {title}
          {badge}
        </h1>
        {facts !== undefined && (
          <div className="mt-1 flex flex-wrap items-center gap-x-3.5 gap-y-1.5 text-text-2">{facts}</div>
        )}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** One fact in the heading of a page. */
export function HeadFact({ icon, children }: { icon?: LucideIcon; children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 [overflow-wrap:anywhere]">
      {icon !== undefined && <Icon of={icon} isSmall className="text-text-3" />}
      {children}
    </span>
  );
}

/** A section of a page with its title. */
export function Section({
  title,
  end,
  children,
  className,
}: {
  title: ReactNode;
  /** Placed at the right end of the title: a link, or small controls. */
  end?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={clsx('min-w-0', className)}>
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-2">
        <h2 id={id} className="text-13">
          {title}
        </h2>
        {end !== undefined && <div className="ml-auto flex flex-wrap items-center gap-1.5">{end}</div>}
      </div>
      {children}
    </section>
  );
}

/** A main column with a narrower one next to it, or below it on a narrow screen. */
export function Columns({
  children,
  side,
  isSideFirst = false,
}: {
  children: ReactNode;
  side: ReactNode;
  isSideFirst?: boolean;
}) {
  const aside = <div className="flex min-w-0 flex-col gap-7">{side}</div>;
  return (
    <div
      className={clsx(
        'grid gap-x-8 gap-y-7',
        isSideFirst ? 'lg:grid-cols-[300px_minmax(0,1fr)]' : 'xl:grid-cols-[minmax(0,1fr)_340px]',
      )}
    >
      {isSideFirst && aside}
      <div className="flex min-w-0 flex-col gap-7">{children}</div>
      {!isSideFirst && aside}
    </div>
  );
}

/** Names with their values, in two columns. */
export function Facts({
  facts,
  wide = false,
}: {
  facts: readonly (readonly [name: ReactNode, value: ReactNode] | undefined | false)[];
  wide?: boolean;
}) {
  return (
    <dl
      className={clsx(
        'grid gap-x-3 gap-y-px',
        wide ? 'grid-cols-[180px_minmax(0,1fr)]' : 'grid-cols-[112px_minmax(0,1fr)]',
      )}
    >
      {facts.map(
        (fact, at) =>
          fact !== undefined &&
          fact !== false && (
            <div key={at} className="col-span-2 grid min-h-6.5 grid-cols-subgrid items-baseline">
              <dt className="py-0.75 text-text-2">{fact[0]}</dt>
              <dd className="min-w-0 py-0.75 [overflow-wrap:anywhere]">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A bordered box around related content. */
export function Box({ children, className, label }: { children: ReactNode; className?: string; label?: string }) {
  return (
    <div
      {...(label !== undefined && { role: 'group', 'aria-label': label })}
      className={clsx('min-w-0 overflow-hidden rounded-8 border border-line-strong', className)}
    >
      {children}
    </div>
  );
}

/** The header of a box: its title and small controls. */
export function BoxHead({ title, note, end }: { title: ReactNode; note?: ReactNode; end?: ReactNode }) {
  return (
    <div className="flex min-h-9.5 flex-wrap items-center gap-x-2 border-b border-line pr-1.5 pl-3 font-medium">
      <h3 className="font-medium">{title}</h3>
      {note !== undefined && <span className="text-12 font-normal text-text-3">{note}</span>}
      {end !== undefined && <div className="ml-auto flex items-center gap-0.5 font-normal">{end}</div>}
    </div>
  );
}

/** A section that is collapsed until the user opens it. */
export function Fold({
  title,
  note,
  isOpen: isOpenAtFirst = false,
  children,
}: {
  title: ReactNode;
  note?: ReactNode;
  isOpen?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="flex h-8 w-full items-center gap-1.5 text-left font-medium text-text-2 hover:text-text"
      >
        <Icon
          of={ChevronRight}
          isSmall
          className={clsx('transition-transform duration-(--fast)', isOpen && 'rotate-90')}
        />
        <span className={note === undefined ? 'min-w-0' : 'shrink-0'}>{title}</span>
        {note !== undefined && <span className="ml-auto truncate pl-3 text-12 font-normal text-text-3">{note}</span>}
      </button>
      <div id={id} hidden={!isOpen} className="pt-2">
        {isOpen && children}
      </div>
    </div>
  );
}
