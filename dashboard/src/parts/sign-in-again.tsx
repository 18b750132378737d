import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type SignedIn, type SignIn } from '../api/client.ts';
import { BASE } from '../lib/addresses.ts';
import { atWorkOf } from '../lib/at-work.ts';
import { secondStepByPasskey, signInByPasskey } from '../lib/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { CodeField, givenCode } from './code-field.tsx';
import { FailureNote } from './failure-note.tsx';
import { PROSE_LINK } from './link.tsx';

/**
 * Asks a user whose session has ended for the password or a passkey, on top of the page, so that unsaved input is kept.
 * Other ways to sign in open in a new tab, and the dialog notices when the user returns.
 */
export function SignInAgain({ user }: { user: SignedIn['user'] }) {
  const client = useQueryClient();
  const ways = useQuery({ queryKey: ['ways'], queryFn: () => api.signIn.getMethods() });
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [means, setMeans] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  const attempt = async (how: () => Promise<SignIn>): Promise<void> => {
    setError(undefined);
    try {
      const answer = await atWorkOf(how);
      if ('secondStep' in answer) return setMeans(answer.secondStep.means);
      // The page belongs to the previous user.
      if (answer.user.id !== user.id) return location.reload();
      client.setQueryData(['session'], answer);
      await client.invalidateQueries();
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    const look = (): void => {
      api.session.get().then(
        (answer) => void attempt(() => Promise.resolve(answer)),
        () => undefined,
      );
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  });
  return (
    <Dialog
      title="Your session has ended"
      description={`Sign in again as ${user.email}. What you entered on this page is kept.`}
      onClose={() => undefined}
      onSubmit={() =>
        void attempt(() =>
          means === undefined
            ? api.signIn.byPassword({ email: user.email, password })
            : api.signIn.bySecondFactor(givenCode(code)),
        )
      }
      actions={
        <>
          {(means === undefined || means.includes('passkey')) && (
            <Button onClick={() => void attempt(means === undefined ? signInByPasskey : secondStepByPasskey)}>
              Use a passkey
            </Button>
          )}
          <Button look="primary" type="submit">
            Sign in
          </Button>
        </>
      }
    >
      {means === undefined ? (
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
          hasFocus
        />
      ) : (
        <CodeField means={means} value={code} onChange={setCode} />
      )}
      <FailureNote error={error} />
      <p className="text-12 text-text-2">
        <a className={PROSE_LINK} href={`${BASE}/sign-in`} target="_blank" rel="noopener">
          {ways.data?.singleSignOn === undefined
            ? 'Sign in another way in a new tab'
            : `Sign in with ${ways.data.singleSignOn.name} in a new tab`}
        </a>
      </p>
    </Dialog>
  );
}
