import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isApiError, type SignedIn } from '../api/client.ts';
import { BASE } from '../lib/addresses.ts';
import { kept } from '../lib/kept.ts';
import { nameOf, SessionContext, useSession } from '../lib/session.ts';
import { useActs } from './acts.tsx';
import { Button } from '../ui/button.tsx';
import { LeaveGuardContext } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Alone, AloneForm } from './alone.tsx';
import { FailureNote } from './failure-note.tsx';
import { isAtField, problemOf } from './problem-of.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

/**
 * Shows pages to signed-in users. Anyone else is sent to sign in and returns afterwards. If the session ends while a
 * page is open, the page stays and asks the user to sign in again.
 */
export function SessionGate() {
  const { href, pathname } = useLocation();
  const session = useQuery({
    queryKey: ['session'],
    queryFn: () => api.session.get(),
    retry: (count, error) => !isApiError(error, 'UNAUTHORIZED') && count < 2,
    staleTime: 60_000,
  });
  // The address has already changed while its page is still loading.
  if (isApiError(session.error, 'UNAUTHORIZED') && pathname.endsWith('/sign-in')) return null;
  if (isApiError(session.error, 'UNAUTHORIZED') && session.data === undefined)
    return <Navigate to="/sign-in" search={(href === '/' ? {} : { returnTo: href }) as never} replace />;
  if (session.data === undefined)
    return session.isError ? (
      <Alone title="Something went wrong">
        <FailureNote error={session.error} onRetry={() => void session.refetch()} />
      </Alone>
    ) : null;
  if (session.data.organisations.length === 0)
    return (
      <Alone title="No organisation">
        <p>You aren't a member of any organisation. Ask an admin for an invitation.</p>
        <Button
          onClick={() => {
            void api.session.signOut().then(() => location.assign(`${BASE}/sign-in`));
          }}
        >
          Sign out
        </Button>
      </Alone>
    );
  return (
    <SessionContext value={session.data}>
      <LeaveGuardContext value={useLeaveGuard}>
        <Outlet />
      </LeaveGuardContext>
      {isApiError(session.error, 'UNAUTHORIZED') && <SignInAgain user={session.data.user} />}
    </SessionContext>
  );
}

/**
 * The root redirects to the environment that the user visited last, otherwise to the test environment of the first app.
 */
export function HomePage() {
  const session = useSession();
  const last = kept('place')?.split('/') ?? [];
  const apps = session.organisations.flatMap(({ apps: all }) => all);
  const app = apps.find((each) => nameOf(session, each) === last[0]) ?? apps[0];
  if (app === undefined) return <FirstApp session={session} />;
  const environment = last[1] === 'live' ? 'live' : 'test';
  return <Navigate to={`/${nameOf(session, app)}/${environment}/overview`} replace />;
}

/** Shown instead of the pages while the user has no app. Creating one needs only a name. */
function FirstApp({ session }: { session: SignedIn }) {
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const organisationId = session.organisations[0]?.id ?? '';
  return (
    <Alone title="Create your first app">
      <AloneForm
        go="Create app"
        onSubmit={() => {
          setError(undefined);
          void act(
            async () => {
              await api.apps.create({ name }, { place: { organisationId } });
              await client.invalidateQueries({ queryKey: ['session'] });
            },
            { onFailure: setError },
          );
        }}
      >
        <TextField
          label="Name"
          placeholder="Storefront"
          hint="A product that publishes messages. It has a test and a live environment."
          value={name}
          onChange={setName}
          error={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        {!isAtField(error, ['name']) && <FailureNote error={error} />}
      </AloneForm>
    </Alone>
  );
}
