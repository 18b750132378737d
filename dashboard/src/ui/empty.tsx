import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** Shown instead of an empty list: one sentence, and the next step. */
export function Empty({
  icon,
  title,
  children,
  actions,
}: {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-16 text-center">
      {icon !== undefined && (
        <span className="mb-3 grid size-10 place-items-center rounded-8 border border-line-strong bg-raised text-text-3 shadow-1">
          <Icon of={icon} />
        </span>
      )}
      <h2 className="text-15">{title}</h2>
      {children !== undefined && (
        <div className="mt-1 flex w-full max-w-120 flex-col items-center gap-4 text-text-2">{children}</div>
      )}
      {actions !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
