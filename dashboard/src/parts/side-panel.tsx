import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../lib/texts.ts';
import { PanelBorder, usePanelWidth } from './panel-border.tsx';

/** One thing beside its list: the list goes on being used. Escape closes it. */
export function SidePanel({
  onClose,
  onVisit,
  children,
}: {
  onClose: () => void;
  /** Opens the page of its own. Absent: it has none. */
  onVisit?: () => void;
  children: ReactNode;
}) {
  const t = useTexts();
  const id = useId();
  const size = usePanelWidth();
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // A dialog over it takes the first Escape.
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) close.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <aside
      id={id}
      className="panel"
      aria-label={t.list.details}
      // `as`: React's types know no variables.
      style={{ '--panel-width': `${size.width}px` } as object}
    >
      <PanelBorder {...size} panelId={id} />
      <div className="buttons">
        {onVisit !== undefined && (
          <button type="button" className="button" onClick={onVisit}>
            {t.list.ownPage}
          </button>
        )}
        <button type="button" className="button plain" onClick={onClose}>
          {t.common.close} <kbd>Esc</kbd>
        </button>
      </div>
      {children}
    </aside>
  );
}
