import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SignedIn } from '../../api/client.ts';
import { atWorkOf, leadsTo } from '../../lib/at-work.ts';

/** Runs the action of a link with a code. It ends signed in on the first page, or on the sign-in page. */
export function useEntering(): [error: unknown, enter: (how: () => Promise<SignedIn | void>) => void] {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  return [
    error,
    (how) => {
      setError(undefined);
      atWorkOf(how).then(
        (session) => {
          if (session !== undefined) client.setQueryData(['session'], session);
          leadsTo(navigate({ to: session === undefined ? '/sign-in' : '/' }));
        },
        (failure: unknown) => setError(failure),
      );
    },
  ];
}

export const PASSWORD_HINT = "12 to 128 characters. Common passwords aren't allowed.";
