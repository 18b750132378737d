import { useQuery } from '@tanstack/react-query';
import { Ban, Pencil, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api, type MachineCredential } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { IdentityNote } from '../../parts/identity-note.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { type OverlapHours, OverlapSelect } from '../../parts/overlap-select.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton, CopyId } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { FirstUse } from './first-use.tsx';
import { type AnyCredential, CREDENTIAL_STATES, type Kind, type Shown, shortKey } from './kinds.ts';

/** The panel of a credential: what it is, where it was used, and its actions. */
export function CredentialPanel({ kind, id, onShown }: { kind: Kind; id: string; onShown: (shown: Shown) => void }) {
  const { at, path } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<'revoke' | 'rotate' | 'rename'>();
  const [overlap, setOverlap] = useState<OverlapHours>('24');
  const isKey = kind === 'api-keys';
  const found = useQuery({
    queryKey: [path, kind, id],
    queryFn: (): Promise<AnyCredential> => (isKey ? api.apiKeys.get(id, at) : api.machineCredentials.get(id, at)),
  });
  if (found.data === undefined) return <NotRead of={found} />;
  const row = found.data;
  const { tone, word } = CREDENTIAL_STATES[row.status];
  const rotate = async (): Promise<void> => {
    const overlapHours = Number(overlap);
    const secret = isKey
      ? (await api.apiKeys.rotate(id, { overlapSeconds: overlapHours * 3_600 }, at)).key
      : (await api.machineCredentials.rotate(id, { overlapHours }, at)).clientSecret;
    onShown({ kind, id, secret, scopes: row.scopes });
    await refresh();
  };
  const revoke = async (): Promise<void> => {
    await (isKey ? api.apiKeys.revoke(id, at) : api.machineCredentials.revoke(id, at));
    await refresh();
  };
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-2 text-15 font-bold tracking-tight">
        {row.name} <StatusBadge tone={tone}>{word}</StatusBadge>
      </h2>
      {row.status === 'active' && (
        <div className="flex flex-wrap gap-2">
          <Button icon={RefreshCw} onClick={() => setAsked('rotate')}>
            {isKey ? 'Rotate key…' : 'Rotate secret…'}
          </Button>
          <MoreMenu
            groups={[
              { items: [{ label: 'Rename…', icon: Pencil, onSelect: () => setAsked('rename') }] },
              { items: [{ label: 'Revoke…', icon: Ban, isDanger: true, onSelect: () => setAsked('revoke') }] },
            ]}
          />
        </div>
      )}
      <Facts
        facts={[
          'prefix' in row && ['Key', <code key="key">{shortKey(row)}</code>],
          [
            isKey ? 'ID' : 'Client ID',
            isKey ? (
              <CopyId key="id" id={row.id} isNamed />
            ) : (
              <span key="id" className="inline-flex items-center gap-1">
                <code>{row.id}</code>
                <CopyButton text={row.id} label="Copy client ID" />
              </span>
            ),
          ],
          ['Last used', row.lastUsedAt === undefined ? 'Never' : <Ago key="used" at={row.lastUsedAt} />],
          row.lastUsedAddress !== undefined && ['Last used from', <code key="from">{row.lastUsedAddress}</code>],
          ['Expires', row.expiresAt === undefined ? 'Never' : <In key="expires" at={row.expiresAt} />],
          'previousKeyExpiresAt' in row &&
            row.previousKeyExpiresAt !== undefined && [
              'Old key valid until',
              <In key="previous" at={row.previousKeyExpiresAt} />,
            ],
          ['Rate limit', `${countText(row.limits.requestsPerMinute)} requests per minute`],
          ['Created', <Ago key="created" at={row.createdAt} />],
        ]}
      />
      {'secrets' in row && <Secrets of={row} />}
      <Section title="Scopes">
        <ul className="flex flex-wrap gap-1.5">
          {row.scopes.map((scope) => (
            <li key={scope}>
              <TypeTag>{scope}</TypeTag>
            </li>
          ))}
        </ul>
      </Section>
      {row.status === 'active' && (
        <Section title="How to use it">
          <FirstUse kind={kind} id={row.id} scopes={row.scopes} />
        </Section>
      )}
      {asked === 'rename' && <Rename kind={kind} of={row} onClose={() => setAsked(undefined)} />}
      {asked === 'revoke' && (
        <Confirm
          title={`Revoke ${row.name}?`}
          go={isKey ? 'Revoke key' : 'Revoke credential'}
          isDanger
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(revoke, { told: isKey ? 'Key revoked' : 'Credential revoked' })}
        >
          Requests with this {isKey ? 'key' : 'credential'} fail immediately. This can't be undone.
        </Confirm>
      )}
      {asked === 'rotate' && (
        <Confirm
          title={`Rotate ${row.name}?`}
          go={isKey ? 'Rotate key' : 'Rotate secret'}
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(rotate, { told: isKey ? 'Key rotated' : 'Secret rotated' })}
          more={
            <>
              <IdentityNote />
              <OverlapSelect
                label={`Keep the old ${isKey ? 'key' : 'secret'} valid for`}
                value={overlap}
                onChange={setOverlap}
              />
            </>
          }
        >
          You get a new {isKey ? 'key' : 'secret'} with the same scopes. If the old one has leaked, stop it immediately.
        </Confirm>
      )}
    </div>
  );
}

/** The secrets that a client may use now, distinguished by their last characters. */
function Secrets({ of: { secrets } }: { of: MachineCredential }) {
  return (
    <Section title="Client secrets">
      <ul className="rounded-8 border border-line-strong">
        {secrets.map(({ last4, createdAt, expiresAt, lastUsedAt }) => (
          <li
            key={createdAt}
            className="flex min-h-row flex-wrap items-center gap-x-3 border-line px-3 not-last:border-b"
          >
            <code>…{last4}</code>
            <span className="text-text-2">
              created <Ago at={createdAt} />
            </span>
            <span className="ml-auto text-text-2">
              {expiresAt !== undefined ? (
                <>
                  valid until <In at={expiresAt} />
                </>
              ) : lastUsedAt === undefined ? (
                'never used'
              ) : (
                <>
                  used <Ago at={lastUsedAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Renames a credential. Its scopes stay. */
function Rename({ kind, of, onClose }: { kind: Kind; of: AnyCredential; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [name, setName] = useState(of.name);
  const [error, setError] = useState<unknown>();
  const rename = (): void => {
    setError(undefined);
    void act(
      async () => {
        await (kind === 'api-keys'
          ? api.apiKeys.update(of.id, { name }, at)
          : api.machineCredentials.update(of.id, { name }, at));
        onClose();
        await refresh();
      },
      { told: 'Renamed', onFailure: setError },
    );
  };
  return (
    <Dialog
      title={`Rename ${of.name}`}
      environment={environment}
      onClose={onClose}
      onSubmit={rename}
      actions={<DialogButtons go="Rename" onCancel={onClose} isDisabled={name.trim() === ''} />}
    >
      <IdentityNote />
      <TextField label="Name" value={name} onChange={setName} error={problemOf(error, 'name')} isRequired hasFocus />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
