import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Session } from '../../api/client.ts';
import { browserName } from '../../lib/browser-name.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { CountTag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Tip } from '../../ui/tooltip.tsx';

const nameOf = ({ userAgent, address }: Session): string =>
  userAgent === undefined ? address : browserName(userAgent);

/** Where the user is signed in. Every other session can be signed out. */
export function Sessions() {
  const client = useQueryClient();
  const { act } = useActs();
  const [asked, setAsked] = useState<Session | 'others'>();
  const found = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await api.sessions.list({ limit: 100 }).page()).data,
  });
  const hasOthers = found.data?.some(({ isCurrent }) => !isCurrent) === true;
  return (
    <Section
      title="Sessions"
      end={
        hasOthers && (
          <Button size="small" onClick={() => setAsked('others')}>
            Sign out all other sessions…
          </Button>
        )
      }
    >
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : (
        <Table
          label="Sessions"
          rows={found.data}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Browser',
              cell: (row) => (
                <>
                  {row.userAgent === undefined ? (
                    nameOf(row)
                  ) : (
                    <Tip text={row.userAgent}>
                      <span>{nameOf(row)}</span>
                    </Tip>
                  )}
                </>
              ),
            },
            { head: 'Address', width: '26%', isWide: true, cell: ({ address }) => <code>{address}</code> },
            { head: 'Last used', width: '104px', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
            {
              head: <span className="sr-only">Actions</span>,
              width: '112px',
              isNumber: true,
              cell: (row) =>
                row.isCurrent ? (
                  <CountTag>This device</CountTag>
                ) : (
                  <Button size="small" look="quiet" label={`Sign out ${nameOf(row)}`} onClick={() => setAsked(row)}>
                    Sign out
                  </Button>
                ),
            },
          ]}
        />
      )}
      {asked !== undefined && (
        <Confirm
          title={asked === 'others' ? 'Sign out all other sessions?' : 'Sign out this session?'}
          go={asked === 'others' ? 'Sign out all' : 'Sign out'}
          isDanger
          isOfBothEnvironments
          hasRequest={false}
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(
              async () => {
                await (asked === 'others' ? api.sessions.revokeOthers() : api.sessions.revoke(asked.id));
                await client.invalidateQueries({ queryKey: ['sessions'] });
              },
              { told: asked === 'others' ? 'Other sessions signed out' : 'Session signed out' },
            )
          }
        >
          {asked === 'others'
            ? 'Unsaved changes in your other browsers will be lost.'
            : `${nameOf(asked)}, ${asked.address}. Unsaved changes in that browser will be lost.`}
        </Confirm>
      )}
    </Section>
  );
}
