import type { ReactNode } from 'react';
import { useTexts } from '../lib/texts.ts';
import { Dialog } from './dialog.tsx';
import { ShellButton } from './shell-lines.tsx';
import { useTypedName } from './typed-name.tsx';

type Given = {
  title: string;
  children: ReactNode;
  /** The word on the button that does it. */
  go: string;
  /** The word on the button that leaves everything as it is. */
  stay?: string;
  isDanger?: boolean;
  /** Nothing is sent for it: there is no request to show. */
  isLocal?: boolean;
  /** A text that must be typed first, such as the name of what would be gone. */
  typed?: string | undefined;
  onGo: () => void;
  onClose: () => void;
};

/** A question before something is done that cannot be undone. */
export function Ask({ title, children, go, stay, isDanger = false, isLocal = false, typed, onGo, onClose }: Given) {
  const t = useTexts();
  const { isTyped, field } = useTypedName(typed, { hasFocus: true });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onGo();
        }}
      >
        <div className="stack">{children}</div>
        {field}
        <div className="buttons">
          <button type="submit" className={isDanger ? 'button danger' : 'button main'} disabled={!isTyped}>
            {go}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {stay ?? t.common.cancel}
          </button>
        </div>
        {!isLocal && <ShellButton run={onGo} />}
      </form>
    </Dialog>
  );
}
