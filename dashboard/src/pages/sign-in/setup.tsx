import { useState } from 'react';
import { api } from '../../api/client.ts';
import { codeOfLink } from '../../lib/code.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { CodeLines } from '../../ui/code-lines.tsx';
import { TextField } from '../../ui/field.tsx';
import { PASSWORD_HINT, useEntering } from './use-entering.ts';

const TITLE = 'Create the first administrator';

/** The page behind the setup link of the first start: creates the account of the owner of this Posthorn. */
export function SetupPage() {
  const [error, enter] = useEntering();
  const [form, setForm] = useState({ name: '', email: '', password: '', organisation: '', app: '' });
  const code = codeOfLink();
  if (code === '')
    return (
      <Alone title={TITLE} note="Open the setup link printed when Posthorn first started. To create a new one, run:">
        <CodeLines title="Posthorn CLI" text="npx posthorn admin setup-link" />
      </Alone>
    );
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, name),
  });
  return (
    <Alone title={TITLE} note="You'll be the owner and can invite others.">
      <AloneForm
        go="Create account"
        onSubmit={() => {
          const { organisation, app, ...person } = form;
          enter(() =>
            api.session.setUp({ code, ...person, ...(organisation && { organisation }), ...(app && { app }) }),
          );
        }}
      >
        <TextField label="Name" autoComplete="name" {...field('name')} isRequired hasFocus />
        <TextField label="Email" type="email" autoComplete="username" {...field('email')} isRequired />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          {...field('password')}
          isRequired
        />
        <TextField
          label="Organisation (optional)"
          placeholder="Your company or team"
          autoComplete="organization"
          {...field('organisation')}
        />
        <TextField
          label="App (optional)"
          placeholder="Storefront"
          hint="A product that publishes messages. It has a test and a live environment."
          {...field('app')}
        />
        {!isAtField(error, Object.keys(form)) && <FailureNote error={error} />}
      </AloneForm>
    </Alone>
  );
}
