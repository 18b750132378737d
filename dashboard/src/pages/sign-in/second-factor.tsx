import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api, type SignIn } from '../../api/client.ts';
import { passkeyFor } from '../../lib/passkeys.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';

export type SignInAttempt = (how: () => Promise<SignIn>) => void;

/** The second step of signing in, by any of the person's means. */
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
        <Button
          icon={KeyRound}
          className="w-full"
          onClick={() =>
            attempt(async () =>
              api.signIn.bySecondFactor({ passkey: await passkeyFor(await api.signIn.requestSecondPasskey()) }),
            )
          }
        >
          Use a passkey
        </Button>
      )}
      <AloneForm
        go="Sign in"
        onSubmit={() => {
          const given = code.replaceAll(/\s/g, '');
          attempt(() => api.signIn.bySecondFactor(/^\d{6}$/.test(given) ? { code: given } : { recoveryCode: given }));
        }}
      >
        <TextField
          label="Code"
          hint={
            means.includes('code') ? 'Enter the 6-digit code, or a recovery code' : 'Enter one of your recovery codes'
          }
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          isMono
          isRequired
          hasFocus
        />
        <FailureNote error={error} />
      </AloneForm>
    </Alone>
  );
}
