import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, type Invitation, type Member, type Page as ApiPage, ROLES, type Role } from '../../api/client.ts';
import { ROLE_NAMES } from '../../lib/role-words.ts';
import { useHere, useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ExportButton, ExportDialog } from '../../parts/export-button.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { Select } from '../../ui/select.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberActions } from './member-actions.tsx';

/** A member, or an invited user. */
type Row = Member | Invitation;
const isMember = (row: Row): row is Member => 'userId' in row;

/** A list of users, loaded a hundred at a time with a button. */
const usePeople = <T,>(
  queryKey: QueryKey,
  read: (cursor: string | undefined) => Promise<ApiPage<T>>,
  { isAsked = true } = {},
) =>
  useInfiniteQuery({
    queryKey: [...queryKey, 'by page'],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    enabled: isAsked,
  });

/** Users of the organisation, preceded by those who are invited. */
export function MembersPage() {
  const { organisation, may } = useHere();
  const [asked, setAsked] = useState<'invite' | 'members' | 'invitations'>();
  const { id } = organisation;
  const isAdmin = may('admin');
  const members = usePeople(['members', id], (cursor) => api.members.list(id, { limit: 100, cursor }).page());
  const invitations = usePeople(
    ['invitations', id],
    (cursor) => api.invitations.list(id, { limit: 100, cursor }).page(),
    { isAsked: isAdmin },
  );
  const columns = useColumns();
  const exported = (name: 'members' | 'invitations') => ({
    name,
    path: `/v1/organisations/${id}/${name}`,
    query: () => ({}),
    at: {},
  });
  const people = members.data?.pages.flatMap(({ data }) => data);
  const invited = invitations.data?.pages.flatMap(({ data }) => data);
  return (
    <Page
      title="Members"
      layout="settings"
      actions={
        <>
          {isAdmin ? (
            <MoreMenu
              groups={[
                {
                  items: [
                    { label: 'Export members…', icon: Download, onSelect: () => setAsked('members') },
                    { label: 'Export invitations…', icon: Download, onSelect: () => setAsked('invitations') },
                  ],
                },
              ]}
            />
          ) : (
            <ExportButton of={exported('members')} />
          )}
          {isAdmin && (
            <Button look="primary" icon={UserPlus} onClick={() => setAsked('invite')}>
              Invite member
            </Button>
          )}
        </>
      }
    >
      <FailureNote error={invitations.error} onRetry={() => void invitations.refetch()} />
      {people === undefined || (isAdmin && invitations.isPending) ? (
        <NotRead of={members} />
      ) : (
        <div className="flex flex-col items-start gap-3 *:first:w-full">
          <Table
            label={`Members of ${organisation.name}`}
            rows={[...(invited ?? []), ...people]}
            keyOf={(row) => (isMember(row) ? row.userId : row.id)}
            columns={columns}
          />
          {[invitations, members].map(
            (list, at) =>
              list.hasNextPage && (
                <Button key={at} isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {list === members ? 'Load more members' : 'Load more invitations'}
                </Button>
              ),
          )}
        </div>
      )}
      {asked === 'invite' && <InviteDialog organisationId={id} onClose={() => setAsked(undefined)} />}
      {(asked === 'members' || asked === 'invitations') && (
        <ExportDialog of={exported(asked)} onClose={() => setAsked(undefined)} />
      )}
    </Page>
  );
}

function useColumns(): readonly TableColumn<Row>[] {
  const { user } = useSession();
  return [
    {
      head: 'Name',
      cell: (row) => (
        <>
          {isMember(row) ? (
            <>
              <span className="font-medium">{row.name}</span>
              {row.userId === user.id && <span className="text-text-2"> (you)</span>}
            </>
          ) : (
            <Status tone="pending">Invited</Status>
          )}
          <span className="block truncate text-12 text-text-2 md:hidden" title={row.email}>
            {row.email}
          </span>
        </>
      ),
    },
    { head: 'Email', width: '32%', isWide: true, cell: ({ email }) => <span title={email}>{email}</span> },
    { head: 'Role', width: '138px', cell: (row) => (isMember(row) ? <RoleOf of={row} /> : ROLE_NAMES[row.role]) },
    {
      head: 'Joined',
      width: '176px',
      isNumber: true,
      isWide: true,
      cell: (row) =>
        isMember(row) ? (
          <Ago at={row.createdAt} />
        ) : (
          <>
            Expires <In at={row.expiresAt} />
          </>
        ),
    },
    {
      head: <span className="sr-only">Actions</span>,
      width: '60px',
      isNumber: true,
      cell: (row) => (isMember(row) ? <MemberActions of={row} /> : <InvitationActions of={row} />),
    },
  ];
}

/** The role of a member, editable by users who have at least that role. */
function RoleOf({ of: { userId, name, role } }: { of: Member }) {
  const { organisation, may } = useHere();
  const { user } = useSession();
  const { act } = useActs();
  const client = useQueryClient();
  if (!may('admin') || !may(role) || userId === user.id) return ROLE_NAMES[role];
  const change = (next: Role): void =>
    void act(
      async () => {
        await api.members.update(organisation.id, userId, { role: next });
        await client.invalidateQueries({ queryKey: ['members', organisation.id] });
      },
      {
        told: `${name} is now ${/^[ao]/.test(next) ? 'an' : 'a'} ${ROLE_NAMES[next].toLowerCase()}`,
      },
    );
  return (
    <Select
      label={`Role of ${name}`}
      look="quiet"
      className="-ml-2.5 h-7! px-2.5! font-normal! text-text!"
      value={role}
      // `as`: the options have no other values.
      onChange={(next) => next !== role && change(next as Role)}
      options={ROLES.filter(may).map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
    />
  );
}

function InvitationActions({ of: { id, email } }: { of: Invitation }) {
  const { organisation } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <MoreMenu
        size="small"
        label={`Actions of ${email}`}
        groups={[{ items: [{ label: 'Revoke…', icon: Trash2, isDanger: true, onSelect: () => setIsAsking(true) }] }]}
      />
      {isAsking && (
        <Confirm
          title={`Revoke the invitation of ${email}?`}
          go="Revoke invitation"
          isDanger
          isOfBothEnvironments
          onClose={() => setIsAsking(false)}
          onGo={() =>
            void act(
              async () => {
                await api.invitations.revoke(organisation.id, id);
                await client.invalidateQueries({ queryKey: ['invitations'] });
              },
              { told: 'Invitation revoked' },
            )
          }
        >
          Its link stops working. You can invite the same person again.
        </Confirm>
      )}
    </>
  );
}
