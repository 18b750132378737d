import { Terminal } from 'lucide-react';
import { useState } from 'react';
import { requestsOf, type Written } from '../api/requests.ts';
import { IconButton } from '../ui/button.tsx';
import { RequestLines } from './equivalent-request.tsx';

/**
 * For the buttons of a form: shows the requests that `run` would send. Sends nothing. `lines` is rendered within the
 * form.
 */
export function useRequestToggle(run: () => unknown) {
  const [requests, setRequests] = useState<readonly Written[]>();
  return {
    button: (
      <IconButton
        icon={Terminal}
        label="Equivalent request"
        className="mr-auto"
        aria-expanded={requests !== undefined}
        onClick={() => (requests === undefined ? void requestsOf(run).then(setRequests) : setRequests(undefined))}
      />
    ),
    lines: requests !== undefined && requests.length > 0 && <RequestLines of={requests} />,
  };
}
