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
  /** More of the question: fields, or a preview. */
  more?: ReactNode;
  /** The button that does it: the verb of the title. */
  go: string;
  cancel?: string;
  isDanger?: boolean;
  /** A text that must be typed first in the live environment, such as the name of what would be gone. */
  typed?: string | undefined;
  /** It changes what both environments share: the name is typed wherever one is, and no environment stands in the title. */
  isOfBothEnvironments?: boolean;
  /** It cannot be done as the fields are. */
  isDisabled?: boolean;
  size?: 'normal' | 'wide';
  /** What it does has a request that can be shown. */
  hasRequest?: boolean;
  onGo: () => void;
  onClose: () => void;
};

/** A question before something is done. In the live environment a name is typed before what cannot be taken back. */
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
