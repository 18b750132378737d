import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isApiError, type SignedIn } from '../api/client.ts';
import { kept } from '../lib/kept.ts';
import { nameOf, SessionContext, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Alone } from './alone.tsx';
import { Failure } from './failure.tsx';
import { TextField } from './field.tsx';
import { Waiting } from './waiting.tsx';

/** Pages of people who are signed in; anybody else is sent to sign in, and comes back. */
export function SessionGate() {
  const t = useTexts();
  const { href, pathname } = useLocation();
  const session = useQuery({
    queryKey: ['session'],
    queryFn: () => api.session.get(),
    retry: (count, error) => !isApiError(error, 'UNAUTHORIZED') && count < 2,
    staleTime: 60_000,
  });
  // The address has changed already while the page that belongs to it is still on its way.
  if (isApiError(session.error, 'UNAUTHORIZED') && pathname.endsWith('/sign-in')) return <Waiting />;
  if (isApiError(session.error, 'UNAUTHORIZED'))
    return <Navigate to="/sign-in" search={(href === '/' ? {} : { returnTo: href }) as never} replace />;
  if (session.data === undefined)
    return session.isError ? (
      <Alone title="Posthorn">
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      </Alone>
    ) : (
      <Waiting />
    );
  if (session.data.organisations.length === 0)
    return (
      <Alone title="Posthorn">
        <p>{t.home.noOrganisation}</p>
      </Alone>
    );
  return (
    <SessionContext value={session.data}>
      <Outlet />
    </SessionContext>
  );
}

/** The root: where the person was last, else the test environment of the first app. */
export function HomePage() {
  const session = useSession();
  const last = kept('place')?.split('/') ?? [];
  const apps = session.organisations.flatMap(({ apps: all }) => all);
  const app = apps.find((each) => nameOf(session, each) === last[0]) ?? apps[0];
  if (app === undefined) return <FirstApp session={session} />;
  const environment = last[1] === 'live' ? 'live' : 'test';
  return <Navigate to={`/${nameOf(session, app)}/${environment}/overview`} replace />;
}

function FirstApp({ session }: { session: SignedIn }) {
  const t = useTexts();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const organisationId = session.organisations[0]?.id ?? '';
  return (
    <Alone title={t.home.firstApp}>
      <p className="muted">{t.home.whatApp}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void act(
            async () => {
              await api.apps.create({ name }, { place: { organisationId } });
              await client.invalidateQueries({ queryKey: ['session'] });
            },
            { onFailure: setError },
          );
        }}
      >
        <TextField label={t.common.name} value={name} onChange={setName} isRequired hasFocus />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.home.makeApp}
          </button>
        </div>
      </form>
    </Alone>
  );
}
