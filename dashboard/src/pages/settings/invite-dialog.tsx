import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type NewInvitation, ROLES, type Role } from '../../api/client.ts';
import { ROLE_HINTS, ROLE_NAMES } from '../../lib/role-words.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';
import { LinkOnce } from './link-once.tsx';

/** Invites a user, then shows the link, which is not shown again. */
export function InviteDialog({ organisationId, onClose }: { organisationId: string; onClose: () => void }) {
  const { may } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [made, setMade] = useState<NewInvitation>();
  const [error, setError] = useState<unknown>();
  const invite = (): void => {
    setError(undefined);
    void act(
      async () => {
        setMade(await api.invitations.create(organisationId, { email, role }));
        await client.invalidateQueries({ queryKey: ['invitations'] });
      },
      { onFailure: setError },
    );
  };
  const request = useRequestToggle(invite);
  // A separate dialog, because focus must move into it.
  if (made !== undefined)
    return <LinkOnce key="link" title="Invitation link" of={{ ...made, works: 'within 72 hours' }} onClose={onClose} />;
  return (
    <Dialog
      key="form"
      title="Invite member"
      description="You get a link to send. It works once, within 72 hours."
      onClose={onClose}
      onSubmit={invite}
      actions={
        <>
          {request.button}
          <DialogButtons go="Invite member" onCancel={onClose} />
        </>
      }
    >
      <TextField
        label="Email"
        type="email"
        value={email}
        onChange={setEmail}
        error={problemOf(error, 'email')}
        isRequired
        hasFocus
      />
      <SelectField
        label="Role"
        value={role}
        // `as`: the options have no other values.
        onChange={(next) => setRole(next as Role)}
        options={ROLES.filter(may).map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
        hint={ROLE_HINTS[role]}
      />
      {problemOf(error, 'email') === undefined && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}
