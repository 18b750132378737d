import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { AllPreferences } from '../parts/preferences.tsx';
import { Time } from '../parts/time.tsx';
import { Factors } from './factors.tsx';

/** All that belongs to the person alone: taste, password, and where they are signed in. */
export function AccountPage() {
  const t = useTexts();
  const { user } = useSession();
  return (
    <>
      <Heading title={t.nav.names.account} />
      <p className="muted">{user.email}</p>
      <div className="columns">
        <section className="box section">
          <h2>{t.account.name}</h2>
          <NameForm key={user.name} name={user.name} />
        </section>
        <section className="box section">
          <h2>{t.preferences.title}</h2>
          <AllPreferences />
        </section>
        <section className="box section">
          <h2>{t.account.changePassword}</h2>
          <PasswordForm />
        </section>
      </div>
      <Factors />
      <Sessions />
    </>
  );
}

/** Others see the name beside the role, and in the audit log. */
function NameForm({ name: given }: { name: string }) {
  const t = useTexts();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(given);
  const [error, setError] = useState<unknown>();
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void act(
          async () => {
            await api.user.rename({ name });
            await client.invalidateQueries({ queryKey: ['session'] });
            await client.invalidateQueries({ queryKey: ['members'] });
          },
          { told: t.common.saved, onFailure: setError },
        );
      }}
    >
      <TextField
        label={t.account.name}
        value={name}
        onChange={setName}
        autoComplete="name"
        problem={problemOf(error, 'name')}
        isRequired
      />
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button">
          {t.common.save}
        </button>
      </div>
    </form>
  );
}

function PasswordForm() {
  const t = useTexts();
  const { act } = useActs();
  const [form, setForm] = useState({ password: '', newPassword: '' });
  const [error, setError] = useState<unknown>();
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void act(
          async () => {
            await api.user.changePassword(form);
            setForm({ password: '', newPassword: '' });
          },
          { told: t.account.passwordChanged, onFailure: setError },
        );
      }}
    >
      <TextField
        label={t.account.password}
        type="password"
        autoComplete="current-password"
        value={form.password}
        onChange={(password) => setForm({ ...form, password })}
        problem={problemOf(error, 'password')}
        isRequired
      />
      <TextField
        label={t.account.newPassword}
        type="password"
        autoComplete="new-password"
        hint={t.account.passwordHint}
        value={form.newPassword}
        onChange={(newPassword) => setForm({ ...form, newPassword })}
        problem={problemOf(error, 'newPassword')}
        isRequired
      />
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button">
          {t.account.changePassword}
        </button>
      </div>
    </form>
  );
}

function Sessions() {
  const t = useTexts();
  const client = useQueryClient();
  const found = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await api.sessions.list({ limit: 100 }).page()).data,
  });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['sessions'] });
  return (
    <section className="section">
      <div className="heading">
        <h2>{t.account.sessions}</h2>
        <AskButton
          label={t.account.endOthers}
          title={t.account.endOthersTitle}
          why={t.account.endOthersWhy}
          what={async () => {
            await api.sessions.revokeOthers();
            await refresh();
          }}
        />
      </div>
      <Failure error={found.error} />
      <div className="box wide">
        <table className="table">
          <tbody>
            {found.data?.map((row) => (
              <tr key={row.id}>
                <td>
                  {row.userAgent ?? row.address} {row.isCurrent && <span className="chip">{t.account.thisOne}</span>}
                </td>
                <td>{row.address}</td>
                <td>
                  <Time at={row.lastUsedAt} />
                </td>
                <td>
                  {!row.isCurrent && (
                    <AskButton
                      label={t.account.end}
                      of={row.userAgent ?? row.address}
                      title={t.account.endTitle(row.userAgent ?? row.address ?? '')}
                      why={t.account.endWhy}
                      looks="plain"
                      what={async () => {
                        await api.sessions.revoke(row.id);
                        await refresh();
                      }}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
