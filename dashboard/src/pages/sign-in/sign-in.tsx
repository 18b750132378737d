import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, LogIn } from 'lucide-react';
import { useState } from 'react';
import { api, type SignIn } from '../../api/client.ts';
import { atWorkOf, leadsTo } from '../../lib/at-work.ts';
import { signInByPasskey } from '../../lib/passkeys.ts';
import { useAddress } from '../../lib/search.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { TextField } from '../../ui/field.tsx';
import { type SignInAttempt, SecondFactor } from './second-factor.tsx';

/** Why the identity provider refused the sign-in. */
const PROBLEMS: Readonly<Record<string, string>> = {
  denied: 'Sign-in was cancelled or denied',
  expired: 'That took longer than 10 minutes, or the link was already used. Try again.',
  invalid: "Your identity provider's response couldn't be verified. Check the Posthorn log.",
  unreachable: "Your identity provider isn't responding",
  address_not_verified: "Your identity provider hasn't verified your email",
  not_set_up: "Posthorn isn't set up yet. Open the setup link first.",
  not_invited: "You haven't been invited yet",
  linked_otherwise: 'This email is linked to a different identity',
  other_person: 'You signed in as a different person',
};

/** Signs in with a passkey, single sign-on or the password, and then with the second factor if the user has one. */
export function SignInPage() {
  const [search] = useAddress();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [means, setMeans] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  const ways = useQuery({ queryKey: ['ways'], queryFn: () => api.signIn.getMethods() });
  const problem = /^#problem=(\w+)$/.exec(location.hash)?.[1];
  const target = ownPath(search['returnTo']);
  const attempt: SignInAttempt = (how) => {
    setError(undefined);
    atWorkOf<SignIn>(how).then(
      (answer) => {
        if ('secondStep' in answer) return setMeans(answer.secondStep.means);
        client.setQueryData(['session'], answer);
        leadsTo(navigate({ href: target } as never));
      },
      (failure: unknown) => setError(failure),
    );
  };
  if (means !== undefined) return <SecondFactor means={means} attempt={attempt} error={error} />;
  return (
    <Alone title="Sign in">
      {problem !== undefined && <Note kind="error">{PROBLEMS[problem] ?? 'Sign-in failed'}</Note>}
      <div className="flex flex-col gap-2">
        <Button icon={KeyRound} className="w-full" onClick={() => attempt(signInByPasskey)}>
          Use a passkey
        </Button>
        {ways.data?.singleSignOn !== undefined && (
          <Button
            icon={LogIn}
            className="w-full"
            onClick={() => {
              atWorkOf(() => api.signIn.startSingleSignOn({ returnTo: target })).then(
                ({ url }) => location.assign(url),
                (failure: unknown) => setError(failure),
              );
            }}
          >
            Sign in with {ways.data.singleSignOn.name}
          </Button>
        )}
      </div>
      <p className="flex items-center gap-3 text-12 text-text-3 before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        or
      </p>
      <PasswordForm attempt={attempt} error={error} />
      <p className="text-12 text-text-3">Forgot your password? Ask an owner for a reset link.</p>
    </Alone>
  );
}

/**
 * Returns the dashboard path that a text names, otherwise the first page. Any other text could lead to another host.
 */
function ownPath(text = '/'): string {
  const url = URL.canParse(text, location.origin) ? new URL(text, location.origin) : undefined;
  if (url === undefined || url.origin !== location.origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}

function PasswordForm({ attempt, error }: { attempt: SignInAttempt; error: unknown }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <AloneForm go="Sign in" onSubmit={() => attempt(() => api.signIn.byPassword({ email, password }))}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        isRequired
        hasFocus
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <FailureNote error={error} />
    </AloneForm>
  );
}
