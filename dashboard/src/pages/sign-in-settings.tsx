import { useQuery } from '@tanstack/react-query';
import { api, isApiError } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { State } from '../parts/state.tsx';
import { Unread } from '../parts/unread.tsx';

/** The ways of signing in that the operator has set. Settings of the service change them, no page. */
export function SignInSettingsPage() {
  const t = useTexts();
  const { organisation, may } = useHere();
  const found = useQuery({
    queryKey: ['sign-in settings', organisation.id],
    queryFn: () => api.service.getSignIn({ place: { organisationId: organisation.id } }),
    enabled: may('admin'),
    retry: false,
  });
  if (!may('admin')) return <NotAllowed />;
  const heading = <Heading title={t.nav.names['sign-in-settings']} />;
  if (isApiError(found.error, 'FORBIDDEN'))
    return (
      <>
        {heading}
        <p>{t.service.notYours}</p>
      </>
    );
  if (found.data === undefined) return <Unread of={found} />;
  const { password, passkeys, singleSignOn: provider, sessions, mail } = found.data;
  const onOff = (isOn: boolean) => (
    <State of={isOn ? 'delivered' : 'pending'} word={isOn ? t.service.on : t.service.off} />
  );
  return (
    <>
      {heading}
      <p className="muted">{t.signInSettings.why}</p>
      <section className="section">
        <h2>{t.signInSettings.ways}</h2>
        <dl className="facts">
          <dt>{t.account.password}</dt>
          <dd>
            {onOff(true)} {password.isForOwnersAlone && t.signInSettings.ownersAlone}
          </dd>
          <dt>{t.signInSettings.passkeys}</dt>
          <dd>
            {onOff(passkeys.isPossible)}{' '}
            {passkeys.host === undefined ? t.signInSettings.noHost : t.signInSettings.host(passkeys.host)}
          </dd>
          <dt>{t.signInSettings.authenticator}</dt>
          <dd>{onOff(true)}</dd>
          <dt>{t.signInSettings.singleSignOn}</dt>
          <dd>{onOff(provider !== undefined)}</dd>
        </dl>
      </section>
      {provider !== undefined && (
        <section className="section">
          <h2>{provider.name}</h2>
          <dl className="facts">
            <dt>{t.signInSettings.issuer}</dt>
            <dd className="mono">{provider.issuer}</dd>
            <dt>{t.signInSettings.clientId}</dt>
            <dd className="mono">{provider.clientId}</dd>
            <dt>{t.signInSettings.groups}</dt>
            <dd>{t.signInSettings.groupRoles(provider.groupRoles, provider.groupsClaim)}</dd>
            <dt>{t.signInSettings.email}</dt>
            <dd>{provider.isEmailTrusted ? t.signInSettings.emailTrusted : t.signInSettings.emailVerified}</dd>
          </dl>
        </section>
      )}
      <section className="section">
        <h2>{t.signInSettings.sessions}</h2>
        <dl className="facts">
          <dt>{t.signInSettings.idle}</dt>
          <dd>{durationText(sessions.idleMs, t.units)}</dd>
          <dt>{t.signInSettings.life}</dt>
          <dd>{durationText(sessions.lifeMs, t.units)}</dd>
          <dt>{t.signInSettings.fresh}</dt>
          <dd>{durationText(sessions.freshMs, t.units)}</dd>
          <dt>{t.signInSettings.https}</dt>
          <dd>{onOff(sessions.isOnHttpsAlone)}</dd>
        </dl>
      </section>
      <section className="section">
        <h2>{t.signInSettings.mail}</h2>
        <p>
          {onOff(mail.isOn)} {mail.from ?? t.signInSettings.noMail}
        </p>
      </section>
    </>
  );
}
