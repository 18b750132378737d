import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api, type SignIn } from '../../api/client.ts';
import { secondStepByPasskey } from '../../lib/passkeys.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { CodeField, givenCode } from '../../parts/code-field.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Button } from '../../ui/button.tsx';

export type SignInAttempt = (how: () => Promise<SignIn>) => void;

/** The second factor of a sign-in, by any of the user's methods. */
export function SecondFactor({
  means,
  attempt,
  error,
}: {
  means: readonly string[];
  attempt: SignInAttempt;
  error: unknown;
}) {
  const [code, setCode] = useState('');
  return (
    <Alone title="Two-factor authentication">
      {means.includes('passkey') && (
        <Button icon={KeyRound} className="w-full" onClick={() => attempt(secondStepByPasskey)}>
          Use a passkey
        </Button>
      )}
      <AloneForm go="Sign in" onSubmit={() => attempt(() => api.signIn.bySecondFactor(givenCode(code)))}>
        <CodeField means={means} value={code} onChange={setCode} />
        <FailureNote error={error} />
      </AloneForm>
    </Alone>
  );
}
