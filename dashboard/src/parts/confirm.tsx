import { Terminal } from 'lucide-react';
import { type ReactNode, useContext, useState } from 'react';
import { requestsOf, type Written } from '../api/requests.ts';
import { HereContext } from '../lib/session.ts';
import { IconButton } from '../ui/button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { RequestLines } from './equivalent-request.tsx';

type Given = {
  /** The question. */
  title: string;
  /** What will happen, with a count. */
  children: ReactNode;
  /** Further content of the dialog: fields, or a preview. */
  more?: ReactNode;
  /** Label of the button: the verb of the title. */
  go: string;
  cancel?: string;
  isDanger?: boolean;
  /** A text that must be typed first in the live environment, such as the name of what will be deleted. */
  typed?: string | undefined;
  /**
   * The action affects both environments, so the name must be typed in either, and the title does not name an
   * environment.
   */
  isOfBothEnvironments?: boolean;
  /** The action cannot run with the current fields. */
  isDisabled?: boolean;
  size?: 'normal' | 'wide';
  /** The action has a request that can be shown. */
  hasRequest?: boolean;
  onGo: () => void;
  onClose: () => void;
};

/**
 * Asks for confirmation before an action. In the live environment the user must type a name before an action that
 * cannot be undone.
 */
export function Confirm({
  title,
  children,
  more,
  go,
  cancel,
  isDanger = false,
  typed,
  isOfBothEnvironments = false,
  isDisabled = false,
  size,
  hasRequest = true,
  onGo,
  onClose,
}: Given) {
  const here = useContext(HereContext);
  const name = isOfBothEnvironments || here?.environment === 'live' ? typed : undefined;
  const [text, setText] = useState('');
  const [requests, setRequests] = useState<readonly Written[]>();
  return (
    <Dialog
      title={title}
      environment={isOfBothEnvironments ? undefined : here?.environment}
      description={children}
      onClose={onClose}
      {...(size !== undefined && { size })}
      onSubmit={() => {
        if (isDisabled || (name !== undefined && text !== name)) return;
        onClose();
        onGo();
      }}
      actions={
        <>
          {hasRequest && (
            <IconButton
              icon={Terminal}
              label="Equivalent request"
              className="mr-auto"
              aria-expanded={requests !== undefined}
              onClick={() =>
                requests === undefined ? void requestsOf(onGo).then(setRequests) : setRequests(undefined)
              }
            />
          )}
          <DialogButtons
            go={go}
            onCancel={onClose}
            isDanger={isDanger}
            isDisabled={isDisabled || (name !== undefined && text !== name)}
            {...(cancel !== undefined && { cancel })}
          />
        </>
      }
    >
      {more}
      {name !== undefined && <TextField label={`Type ${name} to confirm`} value={text} onChange={setText} hasFocus />}
      {requests !== undefined && requests.length > 0 && <RequestLines of={requests} />}
    </Dialog>
  );
}
