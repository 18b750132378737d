import { Button } from '../../ui/button.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/**
 * A link for one user, which cannot be read again. Only its button closes it, because a mere Escape would lose the
 * link.
 */
export function LinkOnce({
  title,
  of: { email, link, isMailed, works },
  onClose,
}: {
  title: string;
  of: { email: string; link: string; isMailed: boolean; works: string };
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      description={
        isMailed ? (
          <>
            The link was emailed to {email}. It works once, {works}.
          </>
        ) : (
          <>
            Send this link to {email}. It works once, {works}.
          </>
        )
      }
      onClose={() => undefined}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeLines title={title} text={link} note="You won't be able to see it again" />
    </Dialog>
  );
}
