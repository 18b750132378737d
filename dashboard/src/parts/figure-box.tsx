import { type ReactNode, useId, useState } from 'react';
import { useTexts } from '../lib/texts.ts';

/**
 * A figure with its title, and the same as a table behind a button: a picture alone tells nothing to those who do not see it. `beside`
 * stands beside the title, `below` below whatever is shown.
 */
export function FigureBox({
  title,
  beside,
  isSlim,
  table,
  children,
  below,
}: {
  title: string;
  beside?: ReactNode;
  isSlim: boolean;
  /** Its head and its rows. */
  table: ReactNode;
  children: ReactNode;
  below?: ReactNode;
}) {
  const t = useTexts();
  const id = useId();
  const [isTable, setIsTable] = useState(false);
  return (
    <figure className={`chart box${isSlim ? ' slim' : ''}`} aria-labelledby={id}>
      <div className="heading">
        <h2 id={id}>{title}</h2>
        {beside}
        <button type="button" className="button plain" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? t.figures.asChart : t.figures.asTable}
        </button>
      </div>
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard (WCAG 2.1.1)
        <div className="wide values" tabIndex={0} role="region" aria-label={t.figures.asTable}>
          <table className="table">{table}</table>
        </div>
      ) : (
        children
      )}
      {below}
    </figure>
  );
}
