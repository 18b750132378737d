import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type TotpSecret } from '../api/client.ts';
import { newPasskey } from '../lib/passkeys.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { OnceDialog } from '../parts/once-dialog.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Time } from '../parts/time.tsx';

type Asked = 'passkey' | 'removeTotp' | 'codes' | { passkeyId: string; name: string };

/** The proofs of a person beside the password: passkeys, an authenticator app, and recovery codes for when both are lost. */
export function Factors() {
  const t = useTexts();
  const { act } = useActs();
  const client = useQueryClient();
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => api.factors.get() });
  const passkeys = useQuery({
    queryKey: ['factors', 'passkeys'],
    queryFn: async () => (await api.passkeys.list({ limit: 100 }).page()).data,
  });
  const [asked, setAsked] = useState<Asked>();
  const [totp, setTotp] = useState<TotpSecret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [name, setName] = useState('');
  const [renamed, setRenamed] = useState<string>();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['factors'] });
  const remove = (what: () => PromiseLike<unknown>): void =>
    void act(async () => {
      await what();
      await refresh();
    });
  const addPasskey = (): void =>
    void act(
      async () => {
        const passkey = await newPasskey(await api.passkeys.prepare());
        setCodes((await api.passkeys.add({ name, passkey })).recoveryCodes);
        setName('');
        await refresh();
      },
      { told: t.factors.added },
    );
  const hasAny = factors.data?.totp !== undefined || (factors.data?.passkeys ?? 0) > 0;
  return (
    <section className="section">
      <h2>{t.factors.title}</h2>
      <p className="muted">{t.factors.why}</p>
      <Failure error={factors.error ?? passkeys.error} />
      <div className="box wide">
        <table className="table">
          <tbody>
            {passkeys.data?.map((row) => (
              <tr key={row.id}>
                <td>{row.name}</td>
                <td>{t.factors.passkey}</td>
                <td>
                  <Time at={row.lastUsedAt ?? row.createdAt} />
                </td>
                <td>
                  <button
                    type="button"
                    className="button plain"
                    onClick={() => {
                      setName(row.name);
                      setRenamed(row.id);
                    }}
                  >
                    {t.more.rename} <span className="sr-only">{row.name}</span>
                  </button>
                  <button
                    type="button"
                    className="button plain"
                    onClick={() => setAsked({ passkeyId: row.id, name: row.name })}
                  >
                    {t.factors.remove}
                  </button>
                </td>
              </tr>
            ))}
            {factors.data?.totp !== undefined && (
              <tr>
                <td>{t.factors.app}</td>
                <td>{t.factors.sixDigits}</td>
                <td>
                  <Time at={factors.data.totp.createdAt} />
                </td>
                <td>
                  <button type="button" className="button plain" onClick={() => setAsked('removeTotp')}>
                    {t.factors.remove}
                  </button>
                </td>
              </tr>
            )}
          </tbody>
        </table>
        {factors.isSuccess && !hasAny && <p className="muted">{t.factors.none}</p>}
      </div>
      {hasAny && <p>{t.factors.codesLeft(factors.data?.recoveryCodes ?? 0)}</p>}
      <div className="buttons">
        {typeof PublicKeyCredential !== 'undefined' && (
          <button
            type="button"
            className="button"
            onClick={() => {
              setName('');
              setAsked('passkey');
            }}
          >
            {t.factors.addPasskey}
          </button>
        )}
        {factors.isSuccess && factors.data.totp === undefined && (
          <button
            type="button"
            className="button"
            onClick={() => void act(async () => setTotp(await api.factors.enrolTotp()))}
          >
            {t.factors.addApp}
          </button>
        )}
        {hasAny && (
          <button type="button" className="button" onClick={() => setAsked('codes')}>
            {t.factors.newCodes}
          </button>
        )}
      </div>
      {asked === 'passkey' && (
        <Ask
          title={t.factors.addPasskey}
          go={t.factors.addPasskey}
          onClose={() => setAsked(undefined)}
          onGo={addPasskey}
        >
          <p>{t.factors.passkeyWhy}</p>
          <TextField
            label={t.common.name}
            value={name}
            onChange={setName}
            hint={t.factors.nameHint}
            isRequired
            hasFocus
          />
        </Ask>
      )}
      {renamed !== undefined && (
        <Ask
          title={t.more.rename}
          go={t.more.rename}
          onClose={() => setRenamed(undefined)}
          onGo={() =>
            void act(
              async () => {
                await api.passkeys.rename(renamed, { name });
                await refresh();
              },
              { told: t.common.saved },
            )
          }
        >
          <TextField
            label={t.common.name}
            value={name}
            onChange={setName}
            hint={t.factors.nameHint}
            isRequired
            hasFocus
          />
        </Ask>
      )}
      {asked === 'codes' && (
        <Ask
          title={t.factors.newCodes}
          go={t.factors.newCodes}
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(async () => {
              setCodes((await api.factors.makeRecoveryCodes()).recoveryCodes);
              await refresh();
            })
          }
        >
          <p>{t.factors.newCodesWhy}</p>
        </Ask>
      )}
      {asked !== undefined && asked !== 'passkey' && asked !== 'codes' && (
        <Ask
          title={t.factors.removeTitle(asked === 'removeTotp' ? t.factors.app : asked.name)}
          go={t.factors.remove}
          isDanger
          onClose={() => setAsked(undefined)}
          onGo={() =>
            remove(() => (asked === 'removeTotp' ? api.factors.removeTotp() : api.passkeys.remove(asked.passkeyId)))
          }
        >
          <p>{t.factors.removeWhy}</p>
        </Ask>
      )}
      {totp !== undefined && (
        <TotpDialog
          totp={totp}
          onClose={() => setTotp(undefined)}
          onAdded={(given) => {
            setTotp(undefined);
            setCodes(given);
            void refresh();
          }}
        />
      )}
      {codes !== undefined && (
        <OnceDialog why={t.factors.codesWhy} onClose={() => setCodes(undefined)}>
          <Code text={codes.join('\n')} label={t.factors.codes} />
        </OnceDialog>
      )}
    </section>
  );
}

/** Shows the secret to the app, and takes its first code as the proof that it has arrived. */
function TotpDialog({
  totp,
  onClose,
  onAdded,
}: {
  totp: TotpSecret;
  onClose: () => void;
  onAdded: (codes: readonly string[] | undefined) => void;
}) {
  const t = useTexts();
  const { act } = useActs();
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  return (
    <Dialog title={t.factors.addApp} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(async () => onAdded((await api.factors.confirmTotp({ code: code.trim() })).recoveryCodes), {
            told: t.factors.added,
            onFailure: setError,
          });
        }}
      >
        <p>{t.factors.scan}</p>
        <QrCode text={totp.uri} label={t.factors.qr} />
        <Code text={totp.secret} label={t.factors.typed} />
        <TextField
          label={t.signIn.code}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          hint={t.factors.codeHint}
          problem={problemOf(error, 'code')}
          isRequired
          isCode
          hasFocus
        />
        <Failure error={error} />
        <FormButtons go={t.factors.confirm} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
