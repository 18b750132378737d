import type { ReactNode } from 'react';
import { useTexts } from '../lib/texts.ts';
import { Dialog } from './dialog.tsx';

/** Shows what nobody can read again, until its person says that it is kept: Escape alone would lose it. */
export function OnceDialog({ why, onClose, children }: { why: string; onClose: () => void; children: ReactNode }) {
  const t = useTexts();
  return (
    <Dialog title={t.credentials.once}>
      <div className="form">
        <p>{why}</p>
        {children}
        <div className="buttons">
          <button type="button" className="button main" onClick={onClose}>
            {t.credentials.kept}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
