import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, isApiError } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { Page } from '../../shell/page.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Status } from '../../ui/status.tsx';
import { OperatorsOnly } from './operators-only.tsx';

/** How users sign in, as the operator has configured it. Only settings of the service change it, not this page. */
export function AuthenticationPage() {
  const { may } = useHere();
  return may('admin') ? <Authentication /> : <NoAccess title="Authentication" role="admin" />;
}

function Authentication() {
  const { organisation } = useHere();
  const found = useQuery({
    queryKey: ['sign-in settings', organisation.id],
    queryFn: () => api.service.getSignIn({ place: { organisationId: organisation.id } }),
    retry: false,
    meta: { failure: 'own' },
  });
  if (isApiError(found.error, 'FORBIDDEN')) return <OperatorsOnly title="Authentication" />;
  if (found.data === undefined)
    return (
      <Page title="Authentication" layout="settings">
        <NotRead of={found} />
      </Page>
    );
  const { password, passkeys, singleSignOn: provider, sessions, mail } = found.data;
  return (
    <Page title="Authentication" layout="settings" isStill>
      <div className="grid gap-x-8 gap-y-7 xl:grid-cols-2">
        <Section title="Sign-in methods">
          <Facts
            facts={[
              [
                'Password',
                <Setting key="password" isOn>
                  {password.isForOwnersAlone && 'Owners of the first organisation only'}
                </Setting>,
              ],
              [
                'Passkeys',
                <Setting key="passkeys" isOn={passkeys.isPossible}>
                  {passkeys.host === undefined
                    ? 'Need a public URL with a host name'
                    : `Valid for ${passkeys.host} only`}
                </Setting>,
              ],
              ['Authenticator', <Setting key="authenticator" isOn />],
              ['Single sign-on', <Setting key="sso" isOn={provider !== undefined} />],
            ]}
          />
        </Section>
        <Section title="Sessions">
          <Facts
            wide
            facts={[
              ['Idle timeout', durationText(sessions.idleMs)],
              ['Maximum session length', durationText(sessions.lifeMs)],
              ['Re-authenticate after', durationText(sessions.freshMs)],
              ['HTTPS only', <Setting key="https" isOn={sessions.isOnHttpsAlone} />],
            ]}
          />
        </Section>
        {provider !== undefined && (
          <Section title={`Single sign-on: ${provider.name}`}>
            <Facts
              facts={[
                ['Issuer', <code key="issuer">{provider.issuer}</code>],
                ['Client ID', <code key="client">{provider.clientId}</code>],
                [
                  'Group roles',
                  <span key="groups">
                    {counted(provider.groupRoles, 'group')}, from the claim <code>{provider.groupsClaim}</code>
                  </span>,
                ],
                [
                  'Emails',
                  provider.isEmailTrusted ? 'All provider emails are trusted' : 'Only verified emails are trusted',
                ],
              ]}
            />
          </Section>
        )}
        <Section title="Email">
          <Facts
            wide
            facts={[
              [
                'Invitations and resets',
                <Setting key="mail" isOn={mail.isOn}>
                  {mail.isOn ? mail.from : 'Links are shown instead of sent'}
                </Setting>,
              ],
            ]}
          />
        </Section>
      </div>
    </Page>
  );
}

function Setting({ isOn, children }: { isOn: boolean; children?: ReactNode }) {
  return (
    <>
      <Status tone={isOn ? 'delivered' : 'cancelled'}>{isOn ? 'On' : 'Off'}</Status>
      {typeof children === 'string' && <span className="block text-12 text-text-2">{children}</span>}
    </>
  );
}
