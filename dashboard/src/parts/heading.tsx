import { type ReactNode, useEffect } from 'react';

/** The name of the page, which is the title of its tab too, and its actions. */
export function Heading({
  title,
  children,
  isMono = false,
}: {
  title: string;
  children?: ReactNode;
  isMono?: boolean;
}) {
  useEffect(() => {
    document.title = `${title} · Posthorn`;
  }, [title]);
  return (
    <div className="heading">
      <h1 className={isMono ? 'mono' : undefined}>{title}</h1>
      {children !== undefined && <div className="buttons">{children}</div>}
    </div>
  );
}
