import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SignedIn } from '../api/client.ts';
import { atWorkOf } from '../lib/at-work.ts';
import { passkeyFor } from '../lib/passkeys.ts';
import { useTexts } from '../lib/texts.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { TextField } from './field.tsx';

/** Asks who is signed in to prove it once more, by the password or a passkey. */
export function ProveDialog({ onEnd }: { onEnd: (isProven: boolean) => void }) {
  const t = useTexts();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const prove = async (how: () => Promise<SignedIn>): Promise<void> => {
    try {
      // Pages say of the session when it will have to be proven again.
      client.setQueryData(['session'], await atWorkOf(how));
      onEnd(true);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title={t.prove.title} onClose={() => onEnd(false)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void prove(() => api.session.authenticate({ password }));
        }}
      >
        <p>{t.prove.why}</p>
        <TextField
          label={t.account.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          hasFocus
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.prove.go}
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              void prove(async () =>
                api.session.authenticate({ passkey: await passkeyFor(await api.session.requestPasskey()) }),
              )
            }
          >
            {t.prove.passkey}
          </button>
          <button type="button" className="button plain" onClick={() => onEnd(false)}>
            {t.common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
