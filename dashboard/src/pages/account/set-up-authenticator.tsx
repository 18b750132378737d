import { useState } from 'react';
import { api, type TotpSecret } from '../../api/client.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { QrCode } from '../../parts/qr-code.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Shows the secret for the app, and asks for a first code as proof that the app has it. */
export function SetUpAuthenticator({
  totp,
  onClose,
  onAdded,
}: {
  totp: TotpSecret;
  onClose: () => void;
  onAdded: (codes: readonly string[] | undefined) => void;
}) {
  const { act } = useActs();
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  return (
    <Dialog
      title="Set up authenticator app"
      description="Scan the QR code with the app, or type the setup key."
      onClose={onClose}
      onSubmit={() => {
        setError(undefined);
        void act(async () => onAdded((await api.factors.confirmTotp({ code: code.trim() })).recoveryCodes), {
          told: 'Authenticator app added',
          onFailure: setError,
        });
      }}
      actions={<DialogButtons go="Confirm code" onCancel={onClose} />}
    >
      <QrCode text={totp.uri} label="QR code with the setup key" />
      <CodeLines title="Setup key" text={totp.secret} />
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        hint="The 6 digits that the app shows now"
        error={problemOf(error, 'code')}
        isRequired
        isMono
        hasFocus
      />
      {problemOf(error, 'code') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
