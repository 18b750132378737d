import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type CreateApiKey, SCOPES, type Scope, TIERS, type Tier } from '../api/client.ts';
import { API } from '../lib/addresses.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { plainTokenSnippet, tokenSnippet } from '../lib/token-snippet.ts';
import { useActs } from '../parts/acts.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { OnceDialog } from '../parts/once-dialog.tsx';
import { ProofNotice } from '../parts/proof-notice.tsx';
import { TimeField, useTimeOf } from '../parts/time-field.tsx';

export type Kind = 'api-keys' | 'machine-credentials';

/** A secret to be shown once: a key by itself, or a client with its secret. */
export type Shown = { kind: Kind; id: string; secret: string };

/** Asks for the name, the tier and the scopes of a new credential, and makes it. */
export function MakeDialog({
  kind,
  onClose,
  onShown,
}: {
  kind: Kind;
  onClose: () => void;
  onShown: (shown: Shown) => void;
}) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [tier, setTier] = useState<Tier>('pro');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['channels:read', 'messages:write']));
  const [ends, setEnds] = useState('');
  const timeOf = useTimeOf();
  const [error, setError] = useState<unknown>();
  const make = (): void => {
    setError(undefined);
    const body: CreateApiKey = { name, tier, scopes: [...scopes], expiresAt: timeOf(ends) };
    void act(
      async () => {
        if (kind === 'api-keys') {
          const { id, key } = await api.apiKeys.create(body, at);
          onShown({ kind, id, secret: key });
        } else {
          const { id, clientSecret } = await api.machineCredentials.create(body, at);
          onShown({ kind, id, secret: clientSecret });
        }
        await client.invalidateQueries({ queryKey: [path, kind] });
      },
      { onFailure: setError },
    );
  };
  return (
    <Dialog title={t.credentials[kind].make} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <p className="muted">{t.credentials.where(environment)}</p>
        <ProofNotice />
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          hint={t.credentials.nameHint}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <ChoiceField
          label={t.credentials.tier}
          value={tier}
          onChange={setTier}
          options={TIERS.map((each) => [each, each])}
          hint={t.credentials.tierHint}
        />
        <TimeField
          label={t.credentials.expires}
          value={ends}
          onChange={setEnds}
          hint={t.credentials.expiresHint}
          problem={problemOf(error, 'expiresAt')}
        />
        <fieldset className="box">
          <legend>{t.credentials.scopes}</legend>
          <p className="muted">{t.credentials.scopesHint}</p>
          <div className="checks">
            {SCOPES.map((scope) => (
              <Check
                key={scope}
                label={scope}
                isOn={scopes.has(scope)}
                onChange={(isOn) =>
                  setScopes(new Set(isOn ? [...scopes, scope] : [...scopes].filter((each) => each !== scope)))
                }
              />
            ))}
          </div>
        </fieldset>
        <Failure error={error} />
        <FormButtons go={t.credentials[kind].make} onCancel={onClose} isDisabled={scopes.size === 0} />
      </form>
    </Dialog>
  );
}

/** Gives a credential another name. Its rights stay. */
export function RenameDialog({
  kind,
  of: { id, name: before },
  onClose,
}: {
  kind: Kind;
  of: { id: string; name: string };
  onClose: () => void;
}) {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(before);
  const [error, setError] = useState<unknown>();
  const rename = (): void => {
    setError(undefined);
    void act(
      async () => {
        await (kind === 'api-keys'
          ? api.apiKeys.update(id, { name }, at)
          : api.machineCredentials.update(id, { name }, at));
        onClose();
        await client.invalidateQueries({ queryKey: [path, kind] });
      },
      { told: t.common.saved, onFailure: setError },
    );
  };
  return (
    <Dialog title={t.credentials.renameTitle(before)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          rename();
        }}
      >
        <ProofNotice />
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          hint={t.credentials.nameHint}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <Failure error={error} />
        <FormButtons go={t.common.save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Secrets that nobody can read again, and how they are used. */
export function ShownOnce({ shown: { kind, id, secret }, onClose }: { shown: Shown; onClose: () => void }) {
  const t = useTexts();
  return (
    <OnceDialog why={t.credentials.onceWhy} onClose={onClose}>
      {kind === 'machine-credentials' && <Labelled label={t.credentials.clientId} text={id} />}
      <Labelled label={kind === 'api-keys' ? t.credentials.key : t.credentials.clientSecret} text={secret} />
      <h3>{t.credentials.use}</h3>
      {kind === 'api-keys' ? (
        <Code text={`curl ${API}/v1/channels -H 'Authorization: Bearer ${secret}'`} label={t.credentials.use} />
      ) : (
        <>
          <Code text={plainTokenSnippet({ url: API, id, secret })} label={t.credentials.use} />
          <p className="muted">{t.credentials.plainWhy}</p>
          <h3>{t.credentials.useByLibrary}</h3>
          <p className="muted">{t.credentials.libraryWhy}</p>
          <Code text={tokenSnippet({ url: API, id, secret })} label={t.credentials.useByLibrary} />
        </>
      )}
    </OnceDialog>
  );
}

const Labelled = ({ label, text }: { label: string; text: string }) => (
  <div className="field">
    <span className="label">{label}</span>
    <Code text={text} label={label} />
  </div>
);
