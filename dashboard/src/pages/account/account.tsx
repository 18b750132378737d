import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Columns, Section } from '../../ui/layout.tsx';
import { Preferences } from './preferences.tsx';
import { Security } from './security.tsx';
import { Sessions } from './sessions.tsx';

/** Everything that concerns only the user: how they sign in and where, their name, and their preferences. */
export function AccountPage() {
  const { user } = useSession();
  return (
    <Page title="Account">
      <Columns
        side={
          <>
            <Section title="Profile">
              <Profile key={user.name} name={user.name} email={user.email} />
            </Section>
            <Preferences />
          </>
        }
      >
        <Security />
        <Sessions />
      </Columns>
    </Page>
  );
}

/** Others see the name next to the role, and in the audit log. */
function Profile({ name: given, email }: { name: string; email: string }) {
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(given);
  const [error, setError] = useState<unknown>();
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setError(undefined);
        void act(
          async () => {
            await api.user.rename({ name });
            await client.invalidateQueries({ queryKey: ['session'] });
            await client.invalidateQueries({ queryKey: ['members'] });
          },
          { told: 'Name saved', onFailure: setError },
        );
      }}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        autoComplete="name"
        error={problemOf(error, 'name')}
        isRequired
      />
      <TextField label="Email" value={email} onChange={() => undefined} isDisabled />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
      <div>
        <Button type="submit" isDisabled={name === given} why="The name is unchanged">
          Save
        </Button>
      </div>
    </form>
  );
}
