import { Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { requestsOf, type Written } from '../api/requests.ts';
import { Button } from '../ui/button.tsx';
import { EquivalentRequest } from './equivalent-request.tsx';

/** For the buttons of a form: shows, in a dialog on top of it, the requests that `run` would send. Sends nothing. */
export function useRequestDialog(run: () => unknown): { button: ReactNode; dialog: ReactNode } {
  const [requests, setRequests] = useState<readonly Written[]>();
  return {
    button: (
      <Button
        look="quiet"
        icon={Terminal}
        className="mr-auto"
        onClick={() => void requestsOf(run).then((found) => found.length > 0 && setRequests(found))}
      >
        <span className="max-md:sr-only">Equivalent request</span>
      </Button>
    ),
    dialog: requests !== undefined && <EquivalentRequest of={requests} onClose={() => setRequests(undefined)} />,
  };
}
