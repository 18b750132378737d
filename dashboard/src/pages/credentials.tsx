import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, api, type MachineCredential } from '../api/client.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { type Overlap, OverlapField } from '../parts/overlap-field.tsx';
import { ProofNotice } from '../parts/proof-notice.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';
import { type Kind, MakeDialog, RenameDialog, type Shown, ShownOnce } from './credential-dialogs.tsx';

const STATUSES = ['active', 'expired', 'revoked'] as const;
type Credential = ApiKey | MachineCredential;
/** As much of a key as is ever shown again. */
const ends = ({ prefix, last4 }: Pick<ApiKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;
const idOf = ({ id }: { id: string }): string => id;

export const ApiKeysPage = () => <CredentialsPage kind="api-keys" />;
export const MachineCredentialsPage = () => <CredentialsPage kind="machine-credentials" />;

/** Credentials of programs: registered, shown once, rotated with an overlap, revoked. */
function CredentialsPage({ kind }: { kind: Kind }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<Shown>();
  if (!may('admin')) return <NotAllowed />;
  const words = t.credentials[kind];
  const status = oneOf(search['status'], STATUSES);
  const columns: readonly Column<Credential>[] = [
    { head: t.fields.status, width: '96px', cell: (row) => <State of={row.status} /> },
    {
      head: t.common.name,
      width: 'minmax(96px, 1fr)',
      cell: (row) => (
        <HereLink to={`/${kind}`} search={{ ...search, open: row.id }}>
          {row.name}
        </HereLink>
      ),
    },
    {
      head: kind === 'api-keys' ? t.credentials.keyText : t.credentials.clientId,
      width: 'minmax(136px, 1.2fr)',
      cell: (row) => <span className="mono">{'prefix' in row ? ends(row) : row.id}</span>,
    },
    {
      head: t.credentials.scopes,
      width: 'minmax(120px, 1.2fr)',
      cell: (row) => <span title={row.scopes.join(', ')}>{row.scopes.join(', ')}</span>,
    },
    { head: t.credentials.tier, width: '88px', cell: (row) => row.tier },
    {
      head: t.credentials.lastUsed,
      width: '168px',
      cell: (row) => (row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />),
    },
    {
      head: t.credentials.expires,
      width: '168px',
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
      <Views page={kind} filters={['status']} own={[]} />
      <Filters
        filters={[{ name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) }]}
      />
      <LiveList<Credential>
        name={t.nav.names[kind]}
        listKey={[path, kind, status]}
        fetch={(cursor) => list.list({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: kind, path: `/v1/${kind}`, query: () => ({ status }), at }}
        columns={columns}
        leastWidth={960}
        empty={
          status === undefined ? (
            <Empty title={words.none}>
              <button type="button" className="button main" onClick={() => setIsMaking(true)}>
                {words.make}
              </button>
            </Empty>
          ) : (
            <NoneMatch filters={['status']} />
          )
        }
        panel={(id) => <CredentialView kind={kind} id={id} onShown={setShown} />}
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

function CredentialView({ kind, id, onShown }: { kind: Kind; id: string; onShown: (shown: Shown) => void }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState<'revoke' | 'rotate'>();
  const [isRenaming, setIsRenaming] = useState(false);
  const [overlap, setOverlap] = useState<Overlap>('24');
  const found = useQuery({
    queryKey: [path, kind, id],
    queryFn: (): Promise<Credential> =>
      kind === 'api-keys' ? api.apiKeys.get(id, at) : api.machineCredentials.get(id, at),
  });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [path, kind] });
  const rotate = async (): Promise<void> => {
    const overlapHours = Number(overlap);
    if (kind === 'api-keys')
      onShown({ kind, id, secret: (await api.apiKeys.rotate(id, { overlapSeconds: overlapHours * 3_600 }, at)).key });
    else onShown({ kind, id, secret: (await api.machineCredentials.rotate(id, { overlapHours }, at)).clientSecret });
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
        <>
          <div className="buttons">
            <button type="button" className="button" onClick={() => setIsRenaming(true)}>
              {t.credentials.rename}
            </button>
            <button type="button" className="button" onClick={() => setIsAsking('rotate')}>
              {t.credentials.rotate}
            </button>
            <button type="button" className="button danger" onClick={() => setIsAsking('revoke')}>
              {t.credentials.revoke}
            </button>
          </div>
          <p className="muted">{t.credentials.acts[kind].rotate}</p>
          <p className="muted">{t.credentials.acts[kind].revoke}</p>
        </>
      )}
      <dl className="facts">
        {'prefix' in row && (
          <>
            <dt>{t.credentials.keyText}</dt>
            <dd>
              <span className="mono">{ends(row)}</span>
              <div className="muted">{t.credentials.keyTextWhy}</div>
            </dd>
          </>
        )}
        <dt>{kind === 'api-keys' ? t.fields.id : t.credentials.clientId}</dt>
        <dd>
          <span className="mono">{row.id}</span>
          <div className="muted">{kind === 'api-keys' ? t.credentials.idWhy : t.credentials.clientIdWhy}</div>
        </dd>
        {'secrets' in row && <Secrets of={row} />}
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
        {row.lastUsedAddress !== undefined && (
          <>
            <dt>{t.credentials.lastFrom}</dt>
            <dd>
              <span className="mono">{row.lastUsedAddress}</span>
            </dd>
          </>
        )}
        <dt>{t.credentials.expires}</dt>
        <dd>{row.expiresAt === undefined ? t.credentials.noEnd : <Time at={row.expiresAt} />}</dd>
        {'previousKeyExpiresAt' in row && row.previousKeyExpiresAt !== undefined && (
          <>
            <dt>{t.credentials.previousUntil}</dt>
            <dd>
              <Time at={row.previousKeyExpiresAt} />
            </dd>
          </>
        )}
      </dl>
      {isRenaming && <RenameDialog kind={kind} of={row} onClose={() => setIsRenaming(false)} />}
      {isAsking !== undefined && (
        <Ask
          title={t.credentials[isAsking === 'revoke' ? 'revokeTitle' : 'rotateTitle'](row.name)}
          go={t.credentials[isAsking]}
          isDanger={isAsking === 'revoke'}
          typed={environment === 'live' ? row.name : undefined}
          onClose={() => setIsAsking(undefined)}
          onGo={() =>
            void act(isAsking === 'revoke' ? revoke : rotate, {
              told: isAsking === 'revoke' ? t.credentials.revoked : t.credentials.rotated,
            })
          }
        >
          <p>{isAsking === 'revoke' ? t.credentials.revokeWhy : t.credentials.rotateWhy}</p>
          {isAsking === 'rotate' && <ProofNotice />}
          {isAsking === 'rotate' && (
            <OverlapField label={t.credentials.overlap} value={overlap} onChange={setOverlap} />
          )}
        </Ask>
      )}
    </>
  );
}

/** The secrets that a client may sign with now, told apart by their last letters. */
function Secrets({ of: { secrets } }: { of: MachineCredential }) {
  const t = useTexts();
  return (
    <>
      <dt>{t.credentials.secrets}</dt>
      <dd>
        {secrets.map(({ last4, createdAt, expiresAt, lastUsedAt }) => (
          <div key={createdAt}>
            <span className="mono">…{last4}</span> <Time at={createdAt} />, {t.credentials.lastUsed.toLowerCase()}{' '}
            {lastUsedAt === undefined ? t.credentials.never : <Time at={lastUsedAt} />}
            {expiresAt !== undefined && (
              <>
                , {t.credentials.secretEnds} <Time at={expiresAt} />
              </>
            )}
          </div>
        ))}
      </dd>
    </>
  );
}
