import { useState } from 'react';
import { api, type CreateApiKey, type Scope, TIER_RATES, TIERS } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { IdentityNote } from '../../parts/identity-note.tsx';
import { MomentField, useMomentOf } from '../../parts/moment-field.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';
import { type Kind, type Shown, WORDS } from './kinds.ts';
import { ScopeGrid } from './scope-grid.tsx';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'custom', label: 'At a time…' },
];
const TIER_NAMES: Readonly<Record<string, string>> = {
  free: 'Free',
  starter: 'Starter',
  pro: 'Pro',
  enterprise: 'Enterprise',
};

/** Asks for the name, scopes and expiry of a new credential, then shows its secret in a separate dialog. */
export function CreateCredential({
  kind,
  onClose,
  onShown,
}: {
  kind: Kind;
  onClose: () => void;
  onShown: (shown: Shown) => void;
}) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const momentOf = useMomentOf();
  const [name, setName] = useState('');
  const [tier, setTier] = useState<string>('pro');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['channels:read', 'messages:write']));
  const [expiry, setExpiry] = useState('never');
  const [moment, setMoment] = useState('');
  const [error, setError] = useState<unknown>();
  const expiresAt = (): string | undefined => {
    if (expiry === 'custom') return momentOf(moment);
    return expiry === 'never' ? undefined : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
  };
  const create = (): void => {
    setError(undefined);
    const body: CreateApiKey = {
      name,
      tier: TIERS.find((each) => each === tier) ?? 'pro',
      scopes: [...scopes],
      expiresAt: expiresAt(),
    };
    void act(
      async () => {
        const made =
          kind === 'api-keys' ? await api.apiKeys.create(body, at) : await api.machineCredentials.create(body, at);
        onShown({ kind, id: made.id, secret: 'key' in made ? made.key : made.clientSecret, scopes: made.scopes });
        await refresh();
      },
      { onFailure: setError },
    );
  };
  const request = useRequestToggle(create);
  const words = WORDS[kind];
  return (
    <Dialog
      title={words.create}
      size="wide"
      environment={environment}
      description={`Valid for ${environment === 'live' ? 'Live' : 'Test'} only.`}
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          {request.button}
          <DialogButtons
            go={words.create}
            onCancel={onClose}
            isDisabled={scopes.size === 0 || (expiry === 'custom' && momentOf(moment) === undefined)}
            why={scopes.size === 0 ? 'Select at least one scope' : 'Enter when it expires'}
          />
        </>
      }
    >
      <IdentityNote />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="Billing service"
        hint="The program that uses it"
        error={problemOf(error, 'name')}
        isRequired
        hasFocus
      />
      <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
        <SelectField
          label="Expires"
          options={EXPIRIES}
          value={expiry}
          onChange={setExpiry}
          {...(expiry !== 'custom' && { error: problemOf(error, 'expiresAt') })}
        />
        <SelectField
          label="Rate limit tier"
          options={TIERS.map((each) => ({
            value: each,
            label: `${TIER_NAMES[each] ?? each}, ${TIER_RATES[each].toLocaleString('en-US')} per minute`,
          }))}
          value={tier}
          onChange={setTier}
        />
      </div>
      {expiry === 'custom' && (
        <MomentField
          label="Expires at"
          value={moment}
          onChange={setMoment}
          error={problemOf(error, 'expiresAt')}
          isRequired
        />
      )}
      <ScopeGrid scopes={scopes} onChange={setScopes} />
      <FailureNote error={error} />
      {request.lines}
    </Dialog>
  );
}
