import type { ReactNode } from 'react';

/** Says why there is nothing, and what comes next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
);
