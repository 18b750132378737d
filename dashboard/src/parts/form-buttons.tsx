import type { ReactNode } from 'react';
import { useTexts } from '../lib/texts.ts';
import { ShellButton } from './shell-lines.tsx';

type Given = {
  /** The word on the button that does it. */
  go: ReactNode;
  onCancel: () => void;
  isDisabled?: boolean;
};

/** The end of a form in a dialog: do it, or leave it. */
export function FormButtons({ go, onCancel, isDisabled = false }: Given) {
  const t = useTexts();
  return (
    <>
      <div className="buttons">
        <button type="submit" className="button main" disabled={isDisabled}>
          {go}
        </button>
        <button type="button" className="button plain" onClick={onCancel}>
          {t.common.cancel}
        </button>
      </div>
      <ShellButton />
    </>
  );
}
