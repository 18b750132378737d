import { Button } from '../../ui/button.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FirstUse } from './first-use.tsx';
import type { Shown } from './kinds.ts';

/**
 * Shows a secret that cannot be read again, and how to use it first. Only its button closes it, because a mere Escape
 * would lose the secret.
 */
export function ShownOnce({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const isKey = shown.kind === 'api-keys';
  return (
    <Dialog
      title={isKey ? 'Copy your key now' : 'Copy your client secret now'}
      size="wide"
      description="You won't be able to see it again."
      onClose={() => undefined}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {!isKey && <CodeLines title="Client ID" text={shown.id} />}
      <CodeLines title={isKey ? 'Key' : 'Client secret'} text={shown.secret} />
      <FirstUse {...shown} />
    </Dialog>
  );
}
