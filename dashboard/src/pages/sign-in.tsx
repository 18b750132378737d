import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type SignedIn } from '../api/client.ts';
import { atWorkOf, leadsTo } from '../lib/at-work.ts';
import { passkeyFor } from '../lib/passkeys.ts';
import { useAddress } from '../lib/search.ts';
import { useTexts } from '../lib/texts.ts';
import { Alone } from '../parts/alone.tsx';
import { Failure } from '../parts/failure.tsx';
import { TextField } from '../parts/field.tsx';

/** Signing in: the password or a passkey, and the second step where the person has one. */
export function SignInPage() {
  const t = useTexts();
  const [search] = useAddress();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isSecond, setIsSecond] = useState(false);
  const [error, setError] = useState<unknown>();
  const ways = useQuery({ queryKey: ['ways'], queryFn: () => api.signIn.getWays() });
  const problem = /^#problem=(\w+)$/.exec(location.hash)?.[1];
  const target = ownPath(search['returnTo']);
  const attempt = (how: () => Promise<SignedIn | { secondStep: unknown }>): void => {
    setError(undefined);
    atWorkOf(how).then(
      (answer) => {
        if ('secondStep' in answer) return setIsSecond(true);
        client.setQueryData(['session'], answer);
        leadsTo(navigate({ href: target } as never));
      },
      (failure: unknown) => setError(failure),
    );
  };
  if (isSecond) return <SecondStep attempt={attempt} error={error} />;
  return (
    <Alone title={t.signIn.title}>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem in t.signIn.problems
            ? t.signIn.problems[problem as keyof typeof t.signIn.problems]
            : t.signIn.problem}
        </div>
      )}
      <PasswordForm attempt={attempt} error={error} />
      <div className="buttons">
        <button
          type="button"
          className="button"
          onClick={() =>
            attempt(async () => api.signIn.byPasskey({ passkey: await passkeyFor(await api.signIn.requestPasskey()) }))
          }
        >
          {t.signIn.passkey}
        </button>
        {ways.data?.singleSignOn !== undefined && (
          <button
            type="button"
            className="button"
            onClick={() => {
              atWorkOf(() => api.signIn.startSingleSignOn({ returnTo: target })).then(
                ({ url }) => location.assign(url),
                (failure: unknown) => setError(failure),
              );
            }}
          >
            {t.signIn.singleSignOn(ways.data.singleSignOn.name)}
          </button>
        )}
      </div>
      <p className="muted">{t.signIn.help}</p>
    </Alone>
  );
}

/** The path of a page of ours that a text names, else the first page. Any other text could lead to another host. */
function ownPath(text = '/'): string {
  const url = URL.canParse(text, location.origin) ? new URL(text, location.origin) : undefined;
  if (url === undefined || url.origin !== location.origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}

type Step = { attempt: (how: () => Promise<SignedIn | { secondStep: unknown }>) => void; error: unknown };

function PasswordForm({ attempt, error }: Step) {
  const t = useTexts();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(() => api.signIn.byPassword({ email, password }));
      }}
    >
      <TextField
        label={t.account.email}
        type="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        isRequired
        hasFocus
      />
      <TextField
        label={t.account.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Failure error={error} />
      <div className="buttons">
        <button type="submit" className="button main">
          {t.signIn.go}
        </button>
      </div>
    </form>
  );
}

function SecondStep({ attempt, error }: Step) {
  const t = useTexts();
  const [code, setCode] = useState('');
  return (
    <Alone title={t.signIn.second}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const given = code.replaceAll(/[\s]/g, '');
          attempt(() => api.signIn.bySecondFactor(/^\d{6}$/.test(given) ? { code: given } : { recoveryCode: given }));
        }}
      >
        <TextField
          label={t.signIn.code}
          hint={t.signIn.codeHint}
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          isRequired
          hasFocus
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.signIn.go}
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              attempt(async () =>
                api.signIn.bySecondFactor({ passkey: await passkeyFor(await api.signIn.requestSecondPasskey()) }),
              )
            }
          >
            {t.signIn.passkey}
          </button>
        </div>
      </form>
    </Alone>
  );
}
