import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, LockKeyhole, type LucideIcon, Pencil, ShieldCheck, Smartphone, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, type Passkey, type TotpSecret } from '../../api/client.ts';
import { useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { AddPasskey, canHavePasskeys } from '../../parts/add-passkey.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { RecoveryCodes } from '../../parts/recovery-codes.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { ChangePassword } from './change-password.tsx';
import { RenamePasskey } from './rename-passkey.tsx';
import { SetUpAuthenticator } from './set-up-authenticator.tsx';

type Asked =
  | 'password'
  | 'add passkey'
  | 'remove authenticator'
  | 'regenerate codes'
  | { rename: Passkey }
  | { remove: Passkey };

/**
 * How the user authenticates: the password, passkeys, an authenticator app, and recovery codes in case both are lost.
 */
export function Security() {
  const { act } = useActs();
  const client = useQueryClient();
  const { user } = useSession();
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => api.factors.get() });
  const passkeys = useQuery({
    queryKey: ['factors', 'passkeys'],
    queryFn: async () => (await api.passkeys.list({ limit: 100 }).page()).data,
  });
  const [asked, setAsked] = useState<Asked>();
  const [totp, setTotp] = useState<TotpSecret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = (): void => setAsked(undefined);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['factors'] });
  if (factors.data === undefined || passkeys.data === undefined)
    return (
      <Section title="Security">
        <NotRead of={factors.data === undefined ? factors : passkeys} />
      </Section>
    );
  const hasAny = factors.data.totp !== undefined || passkeys.data.length > 0;
  const removed = typeof asked === 'object' && 'remove' in asked ? asked.remove : undefined;
  return (
    <Section title="Security">
      <ul aria-label="Sign-in methods" className="rounded-8 border border-line-strong">
        <Method icon={LockKeyhole} name="Password">
          <Button size="small" onClick={() => setAsked('password')}>
            Change password…
          </Button>
        </Method>
        <Method icon={KeyRound} name="Passkeys" state={passkeys.data.length === 0 ? 'Not set up' : undefined}>
          {canHavePasskeys() && (
            <Button size="small" onClick={() => setAsked('add passkey')}>
              Add passkey…
            </Button>
          )}
        </Method>
        {passkeys.data.map((passkey) => (
          <Method key={passkey.id} name={passkey.name} state={<Used passkey={passkey} />} isPart>
            <MoreMenu
              size="small"
              label={`Actions of ${passkey.name}`}
              groups={[
                { items: [{ label: 'Rename…', icon: Pencil, onSelect: () => setAsked({ rename: passkey }) }] },
                {
                  items: [
                    { label: 'Remove…', icon: Trash2, isDanger: true, onSelect: () => setAsked({ remove: passkey }) },
                  ],
                },
              ]}
            />
          </Method>
        ))}
        <Method
          icon={Smartphone}
          name="Authenticator app"
          state={
            factors.data.totp === undefined ? (
              'Not set up'
            ) : (
              <>
                Added <Ago at={factors.data.totp.createdAt} />
              </>
            )
          }
        >
          {factors.data.totp === undefined ? (
            <Button
              size="small"
              label="Set up authenticator app"
              onClick={() => void act(async () => setTotp(await api.factors.enrolTotp()))}
            >
              Set up…
            </Button>
          ) : (
            <MoreMenu
              size="small"
              label="Actions of the authenticator app"
              groups={[
                {
                  items: [
                    {
                      label: 'Remove…',
                      icon: Trash2,
                      isDanger: true,
                      onSelect: () => setAsked('remove authenticator'),
                    },
                  ],
                },
              ]}
            />
          )}
        </Method>
        {hasAny && (
          <Method icon={ShieldCheck} name="Recovery codes" state={`${factors.data.recoveryCodes} left`}>
            <Button size="small" onClick={() => setAsked('regenerate codes')}>
              Regenerate…
            </Button>
          </Method>
        )}
      </ul>
      <p className="mt-2 text-12 text-text-3">
        {hasAny
          ? "Two-factor authentication is on: a password alone isn't enough to sign in."
          : 'Two-factor authentication is not set up. A passkey or an authenticator app turns it on.'}
      </p>
      {asked === 'password' && <ChangePassword email={user.email} onClose={close} />}
      {asked === 'add passkey' && <AddPasskey onClose={close} />}
      {typeof asked === 'object' && 'rename' in asked && <RenamePasskey of={asked.rename} onClose={close} />}
      {(asked === 'remove authenticator' || removed !== undefined) && (
        <Confirm
          title={`Remove ${removed?.name ?? 'the authenticator app'}?`}
          go={removed === undefined ? 'Remove app' : 'Remove passkey'}
          isDanger
          isOfBothEnvironments
          hasRequest={false}
          onClose={close}
          onGo={() =>
            void act(
              async () => {
                await (removed === undefined ? api.factors.removeTotp() : api.passkeys.remove(removed.id));
                await refresh();
              },
              { told: removed === undefined ? 'Authenticator app removed' : 'Passkey removed' },
            )
          }
        >
          You can't sign in with it any more. Without another factor, your password alone is enough.
        </Confirm>
      )}
      {asked === 'regenerate codes' && (
        <Confirm
          title="Regenerate recovery codes?"
          go="Regenerate codes"
          isOfBothEnvironments
          hasRequest={false}
          onClose={close}
          onGo={() =>
            void act(async () => {
              setCodes((await api.factors.generateRecoveryCodes()).recoveryCodes);
              await refresh();
            })
          }
        >
          Your current codes will stop working.
        </Confirm>
      )}
      {totp !== undefined && (
        <SetUpAuthenticator
          totp={totp}
          onClose={() => setTotp(undefined)}
          onAdded={(given) => {
            setTotp(undefined);
            setCodes(given);
            void refresh();
          }}
        />
      )}
      {codes !== undefined && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

/** One authentication method, or one of its parts. */
function Method({
  icon,
  name,
  state,
  isPart = false,
  children,
}: {
  icon?: LucideIcon;
  name: string;
  state?: ReactNode;
  isPart?: boolean;
  children?: ReactNode;
}) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 border-line py-1.5 pr-2.5 pl-3.5 not-last:border-b">
      {icon === undefined ? <span className="w-4" /> : <Icon of={icon} className="text-text-3" />}
      <span className={isPart ? '[overflow-wrap:anywhere]' : 'font-medium'}>{name}</span>
      <span className="text-text-2">{state}</span>
      <span className="ml-auto">{children}</span>
    </li>
  );
}

const Used = ({ passkey: { lastUsedAt, createdAt } }: { passkey: Passkey }) =>
  lastUsedAt === undefined ? (
    <>
      Added <Ago at={createdAt} />, never used
    </>
  ) : (
    <>
      Used <Ago at={lastUsedAt} />
    </>
  );
