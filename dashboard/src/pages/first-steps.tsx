import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type SignedIn } from '../api/client.ts';
import { atWorkOf, leadsTo } from '../lib/at-work.ts';
import { codeOfLink } from '../lib/code.ts';
import { keep, kept } from '../lib/kept.ts';
import { useTexts } from '../lib/texts.ts';
import { Alone } from '../parts/alone.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Waiting } from '../parts/waiting.tsx';

/** Pages behind a link with a code: the first administrator, an invitation, a new password. */

function useEntering(): [error: unknown, enter: (how: () => Promise<SignedIn | void>) => void] {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  return [
    error,
    (how) => {
      setError(undefined);
      atWorkOf(how).then(
        (session) => {
          if (session !== undefined) {
            client.setQueryData(['session'], session);
            // The overview offers one (parts/passkey-offer.tsx).
            if (kept('passkey') === undefined) keep('passkey', 'offered');
          }
          leadsTo(navigate({ to: session === undefined ? '/sign-in' : '/' }));
        },
        (failure: unknown) => setError(failure),
      );
    },
  ];
}

export function SetupPage() {
  const t = useTexts();
  const [error, enter] = useEntering();
  const [form, setForm] = useState({ name: '', email: '', password: '' });
  const [places, setPlaces] = useState({ organisation: '', app: '' });
  const code = codeOfLink();
  if (code === '')
    return (
      <Alone title={t.setup.title}>
        <p>{t.setup.noCode}</p>
        <pre className="box">npx posthorn admin setup-link</pre>
      </Alone>
    );
  return (
    <Alone title={t.setup.title}>
      <p className="muted">{t.setup.why}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const { organisation, app } = places;
          enter(() => api.session.setUp({ code, ...form, ...(organisation && { organisation }), ...(app && { app }) }));
        }}
      >
        <TextField
          label={t.account.name}
          autoComplete="name"
          value={form.name}
          onChange={(name) => setForm({ ...form, name })}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <TextField
          label={t.account.email}
          type="email"
          autoComplete="username"
          value={form.email}
          onChange={(email) => setForm({ ...form, email })}
          problem={problemOf(error, 'email')}
          isRequired
        />
        <TextField
          label={t.account.password}
          type="password"
          autoComplete="new-password"
          hint={t.account.passwordHint}
          value={form.password}
          onChange={(password) => setForm({ ...form, password })}
          problem={problemOf(error, 'password')}
          isRequired
        />
        <TextField
          label={t.setup.organisation}
          hint={t.setup.organisationHint}
          autoComplete="organization"
          value={places.organisation}
          onChange={(organisation) => setPlaces({ ...places, organisation })}
          problem={problemOf(error, 'organisation')}
        />
        <TextField
          label={t.setup.app}
          hint={t.setup.appHint}
          value={places.app}
          onChange={(app) => setPlaces({ ...places, app })}
          problem={problemOf(error, 'app')}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.setup.go}
          </button>
        </div>
      </form>
    </Alone>
  );
}

export function InvitationPage() {
  const t = useTexts();
  const [error, enter] = useEntering();
  const [form, setForm] = useState({ name: '', password: '' });
  const code = codeOfLink();
  const look = useQuery({ queryKey: ['invitation'], queryFn: () => api.invitations.look({ code }), retry: false });
  if (look.isPending)
    return (
      <Alone title={t.invitation.title}>
        <Waiting />
      </Alone>
    );
  if (look.isError)
    return (
      <Alone title={t.invitation.title}>
        <p>{t.invitation.over}</p>
        <Failure error={look.error} />
      </Alone>
    );
  const { organisation, email, role, hasAccount } = look.data;
  return (
    <Alone title={t.invitation.title}>
      <p>{t.invitation.to(organisation.name, email, t.roles[role])}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          enter(() =>
            api.invitations.accept({ code, password: form.password, ...(!hasAccount && { name: form.name }) }),
          );
        }}
      >
        {!hasAccount && (
          <TextField
            label={t.account.name}
            autoComplete="name"
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, 'name')}
            isRequired
          />
        )}
        <TextField
          label={t.account.password}
          type="password"
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          hint={hasAccount ? t.invitation.ownPassword : t.account.passwordHint}
          value={form.password}
          onChange={(password) => setForm({ ...form, password })}
          problem={problemOf(error, 'password')}
          isRequired
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.invitation.go}
          </button>
        </div>
      </form>
    </Alone>
  );
}

export function PasswordResetPage() {
  const t = useTexts();
  const [error, enter] = useEntering();
  const [password, setPassword] = useState('');
  return (
    <Alone title={t.reset.title}>
      <p className="muted">{t.reset.why}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          enter(() => api.user.resetPassword({ code: codeOfLink(), password }));
        }}
      >
        <TextField
          label={t.account.newPassword}
          type="password"
          autoComplete="new-password"
          hint={t.account.passwordHint}
          value={password}
          onChange={setPassword}
          problem={problemOf(error, 'password')}
          isRequired
          hasFocus
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.reset.go}
          </button>
        </div>
      </form>
    </Alone>
  );
}
