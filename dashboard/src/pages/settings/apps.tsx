import { useQuery } from '@tanstack/react-query';
import { Boxes, Building2, Download, Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, type App, ROLES } from '../../api/client.ts';
import { policyText } from '../../lib/policy-text.ts';
import { useAddress } from '../../lib/search.ts';
import { type Organisation, useSession } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { ExportButton, ExportDialog } from '../../parts/export-button.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { AppDrawer } from './app-drawer.tsx';
import { CreateApp } from './create-app.tsx';
import { NameOrganisation } from './name-organisation.tsx';

const mayChange = ({ role }: Organisation): boolean => ROLES.indexOf(role) >= ROLES.indexOf('admin');

/** Organisations of the user, and the apps of each with their defaults. */
export function AppsPage() {
  const session = useSession();
  const [search, change] = useAddress();
  const [making, setMaking] = useState<'app' | 'organisation'>();
  const own = session.organisations.filter(mayChange);
  const open = search['open'];
  return (
    <Page
      title="Apps"
      layout="settings"
      actions={
        own.length > 0 && (
          <>
            <Button icon={Building2} onClick={() => setMaking('organisation')} className="max-md:hidden">
              Create organisation
            </Button>
            <Button look="primary" icon={Plus} onClick={() => setMaking('app')}>
              Create app
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-7">
        {session.organisations.map((organisation) => (
          <AppsOf key={organisation.id} organisation={organisation} />
        ))}
      </div>
      {making === 'app' && <CreateApp among={own} onClose={() => setMaking(undefined)} />}
      {making === 'organisation' && <NameOrganisation onClose={() => setMaking(undefined)} />}
      {open !== undefined && <AppDrawer key={open} id={open} onClose={() => change({ open: '' })} />}
    </Page>
  );
}

/** Apps of one organisation, including suspended ones. */
function AppsOf({ organisation }: { organisation: Organisation }) {
  const [search, change] = useAddress();
  const [asked, setAsked] = useState<'rename' | 'export'>();
  const { id, name } = organisation;
  const exported = { name: `apps-${id}`, path: '/v1/apps', query: () => ({}), at: { place: { organisationId: id } } };
  const found = useQuery({
    queryKey: ['apps', id],
    queryFn: async (): Promise<App[]> => {
      const all: App[] = [];
      for await (const app of api.apps.list({ limit: 100 }, { place: { organisationId: id } })) all.push(app);
      return all;
    },
  });
  return (
    <Section
      title={name}
      end={
        mayChange(organisation) ? (
          <MoreMenu
            size="small"
            label={`Actions of ${name}`}
            groups={[
              {
                items: [
                  { label: 'Rename organisation…', icon: Pencil, onSelect: () => setAsked('rename') },
                  { label: 'Export apps…', icon: Download, onSelect: () => setAsked('export') },
                ],
              },
            ]}
          />
        ) : (
          <ExportButton of={exported} what={name} />
        )
      }
    >
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : found.data.length === 0 ? (
        <Empty icon={Boxes} title="No apps yet" />
      ) : (
        <Table
          label={`Apps of ${name}`}
          rows={found.data}
          keyOf={(app) => app.id}
          onOpen={(app) => change({ open: app.id })}
          columns={[
            {
              head: 'Name',
              cell: (app) => (
                <span className="inline-flex max-w-full items-center gap-1.5">
                  {app.status === 'active' ? (
                    <StatusIcon tone="delivered" label="Active" />
                  ) : (
                    <StatusIcon tone="held" label="Suspended" />
                  )}
                  <HereLink
                    to="/apps"
                    search={{ ...search, open: app.id }}
                    aria-label={app.name}
                    className="truncate font-medium"
                  >
                    {app.name}
                  </HereLink>
                  {app.status === 'suspended' && <span className="shrink-0 text-text-2">Suspended</span>}
                </span>
              ),
            },
            {
              head: 'Slug',
              isWide: true,
              width: '18%',
              cell: (app) => <code className="text-text-2">{app.slug}</code>,
            },
            {
              head: 'Retention',
              width: '96px',
              isWide: true,
              cell: ({ settings }) => counted(settings.retentionDays, 'day'),
            },
            {
              head: 'Retry policy',
              width: '28%',
              isWide: true,
              cell: ({ settings }) => policyText(settings.retryPolicy),
            },
            { head: 'Created', width: '104px', isNumber: true, cell: (app) => <Ago at={app.createdAt} /> },
          ]}
        />
      )}
      {asked === 'rename' && <NameOrganisation of={organisation} onClose={() => setAsked(undefined)} />}
      {asked === 'export' && <ExportDialog of={exported} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}
