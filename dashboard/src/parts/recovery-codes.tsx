import { Download } from 'lucide-react';
import { download } from '../lib/download.ts';
import { Button } from '../ui/button.tsx';
import { CodeLines } from '../ui/code-lines.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Shows the recovery codes, once. Only its button closes it, because a mere Escape would lose them. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Dialog
      title="Copy your recovery codes now"
      description="You won't be able to see them again. Each one signs you in once if you lose your device."
      onClose={() => undefined}
      actions={
        <>
          <Button
            icon={Download}
            onClick={() => download(new Blob([`${text}\n`], { type: 'text/plain' }), 'posthorn-recovery-codes.txt')}
          >
            Download
          </Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <CodeLines title="Recovery codes" text={text} />
    </Dialog>
  );
}
