import { type ReactNode, useEffect } from 'react';

type Given = {
  title: string;
  children?: ReactNode;
  isMono?: boolean;
  /** The thing stands beside a list, whose page keeps its own name. */
  isInPanel?: boolean;
};

/** The name of the page, which is the title of its tab too, and its actions. */
export function Heading({ title, children, isMono = false, isInPanel = false }: Given) {
  useEffect(() => {
    if (!isInPanel) document.title = `${title} · Posthorn`;
  }, [title, isInPanel]);
  const className = isMono ? 'mono' : undefined;
  if (isInPanel) return <h2 className={className}>{title}</h2>;
  return (
    <div className="heading">
      <h1 className={className}>{title}</h1>
      {children !== undefined && <div className="buttons">{children}</div>}
    </div>
  );
}
