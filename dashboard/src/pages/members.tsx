import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Page, ROLES, type Role } from '../api/client.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { Heading } from '../parts/heading.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { MemberActions } from './member-actions.tsx';

/** A list of people, a hundred at a time: each hundred is asked for by a button. */
const usePeople = <T,>(queryKey: QueryKey, read: (cursor: string | undefined) => Promise<Page<T>>) =>
  useInfiniteQuery({
    queryKey: [...queryKey, 'by page'],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
  });

function Further({
  of: found,
}: {
  of: Pick<ReturnType<typeof usePeople>, 'hasNextPage' | 'isFetching' | 'fetchNextPage'>;
}) {
  const t = useTexts();
  if (!found.hasNextPage) return null;
  return (
    <div className="buttons">
      <button type="button" className="button" disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
        {t.members.further}
      </button>
    </div>
  );
}

/** People of the organisation, and who is invited. */
export function MembersPage() {
  const t = useTexts();
  const { organisation, may } = useHere();
  const { user } = useSession();
  const { act } = useActs();
  const client = useQueryClient();
  const [isInviting, setIsInviting] = useState(false);
  const id = organisation.id;
  const members = usePeople(['members', id], (cursor) => api.members.list(id, { limit: 100, cursor }).page());
  if (members.data === undefined) return <Unread of={members} />;
  const people = members.data.pages.flatMap(({ data }) => data);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['members', id] });
  return (
    <>
      <Heading title={t.nav.names.members}>
        <ExportButton of={{ name: 'members', path: `/v1/organisations/${id}/members`, query: () => ({}), at: {} }} />
        {may('admin') && (
          <button type="button" className="button main" onClick={() => setIsInviting(true)}>
            {t.members.invite}
          </button>
        )}
      </Heading>
      <p className="muted">{t.members.of(organisation.name)}</p>
      <div className="box wide">
        <table className="table">
          <thead>
            <tr>
              <th>{t.common.name}</th>
              <th>{t.account.email}</th>
              <th>{t.members.role}</th>
              <th>{t.members.since}</th>
              <th>
                <span className="sr-only">{t.common.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {people.map((member) => (
              <tr key={member.userId}>
                <td>
                  {member.name} {member.userId === user.id && <span className="muted">{t.members.you}</span>}
                </td>
                <td>{member.email}</td>
                <td>
                  {may('admin') && member.userId !== user.id ? (
                    <select
                      className="input"
                      aria-label={t.members.roleOf(member.name)}
                      value={member.role}
                      onChange={(event) => {
                        // `as`: the options have no other values.
                        const role = event.target.value as Role;
                        void act(
                          async () => {
                            await api.members.update(id, member.userId, { role });
                            await refresh();
                          },
                          { told: t.common.saved },
                        );
                      }}
                    >
                      {ROLES.filter((role) => may(role) || role === member.role).map((role) => (
                        <option key={role} value={role}>
                          {t.roles[role]}
                        </option>
                      ))}
                    </select>
                  ) : (
                    t.roles[member.role]
                  )}
                </td>
                <td>
                  <Time at={member.createdAt} />
                </td>
                <td>
                  <MemberActions of={member} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Further of={members} />
      {may('admin') && <Invitations organisationId={id} />}
      {isInviting && <InviteDialog organisationId={id} onClose={() => setIsInviting(false)} />}
    </>
  );
}

function Invitations({ organisationId }: { organisationId: string }) {
  const t = useTexts();
  const client = useQueryClient();
  const found = usePeople(['invitations', organisationId], (cursor) =>
    api.invitations.list(organisationId, { limit: 100, cursor }).page(),
  );
  const invited = found.data?.pages.flatMap(({ data }) => data) ?? [];
  if (invited.length === 0) return null;
  return (
    <section className="section">
      <div className="heading">
        <h2>{t.members.invited}</h2>
        <ExportButton
          what={t.members.invited}
          of={{
            name: 'invitations',
            path: `/v1/organisations/${organisationId}/invitations`,
            query: () => ({}),
            at: {},
          }}
        />
      </div>
      <div className="box wide">
        <table className="table">
          <tbody>
            {invited.map(({ id, email, role, expiresAt }) => (
              <tr key={id}>
                <td>{email}</td>
                <td>{t.roles[role]}</td>
                <td>
                  {t.members.until} <Time at={expiresAt} />
                </td>
                <td>
                  <AskButton
                    label={t.members.revoke}
                    of={email}
                    title={t.members.revokeTitle(email)}
                    why={t.members.revokeWhy}
                    looks="plain"
                    what={async () => {
                      await api.invitations.revoke(organisationId, id);
                      await client.invalidateQueries({ queryKey: ['invitations'] });
                    }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Further of={found} />
    </section>
  );
}

function InviteDialog({ organisationId, onClose }: { organisationId: string; onClose: () => void }) {
  const t = useTexts();
  const { may } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const [link, setLink] = useState<string>();
  const [error, setError] = useState<unknown>();
  // A dialog of its own, because focus must move into it: Escape outside of a dialog closes it at the second press.
  if (link !== undefined)
    return (
      <Dialog key="link" title={t.members.invite}>
        <div className="form">
          <p>{t.members.handOver(email)}</p>
          <Code text={link} label={t.members.link} />
          <div className="buttons">
            <button type="button" className="button main" onClick={onClose}>
              {t.common.close}
            </button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog key="form" title={t.members.invite} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              setLink((await api.invitations.create(organisationId, { email, role })).link);
              await client.invalidateQueries({ queryKey: ['invitations'] });
            },
            { onFailure: setError },
          );
        }}
      >
        <TextField
          label={t.account.email}
          type="email"
          value={email}
          onChange={setEmail}
          problem={problemOf(error, 'email')}
          isRequired
          hasFocus
        />
        <ChoiceField
          label={t.members.role}
          value={role}
          onChange={setRole}
          options={ROLES.filter(may).map((each) => [each, t.roles[each]])}
          hint={t.members.roleHints[role]}
        />
        <Failure error={error} />
        <FormButtons go={t.members.invite} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
