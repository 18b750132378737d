import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ApiKey, api, type CreateApiKey, type MachineCredential } from '../api/client.ts';
import { API } from '../lib/addresses.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Ask } from '../parts/ask.tsx';
import { useActs } from '../parts/acts.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { TIERS, SCOPES } from '../lib/scopes.ts';
import { tokenSnippet } from '../lib/token-snippet.ts';

type Credential = ApiKey | MachineCredential;
type Kind = 'api-keys' | 'machine-credentials';
/** What is shown once: a key by itself, or a client with its secret. */
type Shown = { kind: Kind; id: string; secret: string };
const idOf = ({ id }: { id: string }): string => id;

export const ApiKeysPage = () => <CredentialsPage kind="api-keys" />;
export const MachineCredentialsPage = () => <CredentialsPage kind="machine-credentials" />;

/** Credentials of programs: registered, shown once, rotated with an overlap, revoked. */
function CredentialsPage({ kind }: { kind: Kind }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const go = useGo();
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<Shown>();
  if (!may('admin')) return <p>{t.common.notAllowed}</p>;
  const words = t.credentials[kind];
  const columns: readonly Column<Credential>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    { head: t.common.name, width: 'minmax(140px, 1fr)', cell: (row) => row.name },
    {
      head: t.fields.id,
      width: 'minmax(160px, 1.2fr)',
      cell: (row) => <span className="mono">{'prefix' in row ? `${row.prefix}…${row.last4}` : row.id}</span>,
    },
    { head: t.credentials.tier, width: '96px', cell: (row) => row.tier },
    {
      head: t.credentials.lastUsed,
      width: '200px',
      cell: (row) => (row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />),
    },
    {
      head: t.credentials.expires,
      width: '200px',
      cell: (row) => (row.expiresAt === undefined ? t.credentials.noEnd : <Time at={row.expiresAt} />),
    },
  ];
  const list = kind === 'api-keys' ? api.apiKeys : api.machineCredentials;
  return (
    <>
      <Heading title={t.nav.names[kind]}>
        <button type="button" className="button main" onClick={() => setIsMaking(true)}>
          {words.make}
        </button>
      </Heading>
      <p className="muted">{words.why}</p>
      <LiveList<Credential>
        name={t.nav.names[kind]}
        key_={[path, kind]}
        fetch={(cursor) => list.list({ limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={columns}
        leastWidth={960}
        empty={
          <Empty title={words.none}>
            <p>{words.why}</p>
            <button type="button" className="button main" onClick={() => setIsMaking(true)}>
              {words.make}
            </button>
          </Empty>
        }
        panel={(id) => <CredentialView kind={kind} id={id} onShown={setShown} />}
        onVisit={(id) => go(`/${kind}`, { open: id })}
      />
      {isMaking && (
        <MakeDialog
          kind={kind}
          onClose={() => setIsMaking(false)}
          onShown={(made) => {
            setIsMaking(false);
            setShown(made);
          }}
        />
      )}
      {shown !== undefined && <ShownOnce shown={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function MakeDialog({ kind, onClose, onShown }: { kind: Kind; onClose: () => void; onShown: (shown: Shown) => void }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [tier, setTier] = useState<(typeof TIERS)[number]>('pro');
  const [scopes, setScopes] = useState<ReadonlySet<(typeof SCOPES)[number]>>(
    new Set(['channels:read', 'messages:write']),
  );
  const [error, setError] = useState<unknown>();
  const make = (): void => {
    setError(undefined);
    const body: CreateApiKey = { name, tier, scopes: [...scopes] };
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
        <fieldset className="box">
          <legend>{t.credentials.scopes}</legend>
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
        <div className="buttons">
          <button type="submit" className="button main" disabled={scopes.size === 0}>
            {t.credentials[kind].make}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Secrets that nobody can read again, and how they are used. */
function ShownOnce({ shown: { kind, id, secret }, onClose }: { shown: Shown; onClose: () => void }) {
  const t = useTexts();
  return (
    <Dialog title={t.credentials.once} onClose={onClose}>
      <div className="form">
        <p>{t.credentials.onceWhy}</p>
        {kind === 'machine-credentials' && <Labelled label={t.credentials.clientId} text={id} />}
        <Labelled label={kind === 'api-keys' ? t.credentials.key : t.credentials.clientSecret} text={secret} />
        <h3>{t.credentials.use}</h3>
        {kind === 'api-keys' ? (
          <Code text={`curl ${API}/v1/channels -H 'Authorization: Bearer ${secret}'`} label={t.credentials.use} />
        ) : (
          <Code text={tokenSnippet({ url: API, id, secret })} label={t.credentials.use} />
        )}
        <div className="buttons">
          <button type="button" className="button main" onClick={onClose}>
            {t.credentials.kept}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const Labelled = ({ label, text }: { label: string; text: string }) => (
  <div className="field">
    <span className="label">{label}</span>
    <Code text={text} label={label} />
  </div>
);

function CredentialView({ kind, id, onShown }: { kind: Kind; id: string; onShown: (shown: Shown) => void }) {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState<'revoke' | 'rotate'>();
  const found = useCredential(kind, id);
  if (found.row === undefined) return found.waiting;
  const row = found.row;
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [path, kind] });
  const rotate = async (): Promise<void> => {
    if (kind === 'api-keys') onShown({ kind, id, secret: (await api.apiKeys.rotate(id, undefined, at)).key });
    else onShown({ kind, id, secret: (await api.machineCredentials.rotate(id, undefined, at)).clientSecret });
    await refresh();
  };
  const revoke = async (): Promise<void> => {
    await (kind === 'api-keys' ? api.apiKeys.revoke(id, at) : api.machineCredentials.revoke(id, at));
    await refresh();
  };
  return (
    <>
      <h2>{row.name}</h2>
      <p className="sentence">
        <State of={row.status} />
      </p>
      {row.status === 'active' && (
        <div className="buttons">
          <button type="button" className="button" onClick={() => setIsAsking('rotate')}>
            {t.credentials.rotate}
          </button>
          <button type="button" className="button danger" onClick={() => setIsAsking('revoke')}>
            {t.credentials.revoke}
          </button>
        </div>
      )}
      <dl className="facts">
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.credentials.tier}</dt>
        <dd>
          {row.tier} · {t.credentials.perMinute(row.limits.requestsPerMinute)}
        </dd>
        <dt>{t.credentials.scopes}</dt>
        <dd>{row.scopes.join(', ')}</dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        <dt>{t.credentials.lastUsed}</dt>
        <dd>{row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />}</dd>
      </dl>
      {isAsking !== undefined && (
        <Ask
          title={t.credentials[isAsking]}
          go={t.credentials[isAsking]}
          isDanger={isAsking === 'revoke'}
          onClose={() => setIsAsking(undefined)}
          onGo={() =>
            void act(isAsking === 'revoke' ? revoke : rotate, {
              told: isAsking === 'revoke' ? t.credentials.revoked : t.credentials.rotated,
            })
          }
        >
          <p>{isAsking === 'revoke' ? t.credentials.revokeWhy : t.credentials.rotateWhy}</p>
        </Ask>
      )}
    </>
  );
}

function useCredential(kind: Kind, id: string): { row: Credential | undefined; waiting: ReactNode } {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, kind, id],
    queryFn: (): Promise<Credential> =>
      kind === 'api-keys' ? api.apiKeys.get(id, at) : api.machineCredentials.get(id, at),
  });
  return { row: found.data, waiting: found.isError ? <Failure error={found.error} /> : <Waiting /> };
}
