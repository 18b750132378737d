import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type App, ROLES } from '../api/client.ts';
import { useAddress } from '../lib/search.ts';
import { nameOf, type Organisation, useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { Heading } from '../parts/heading.tsx';
import { PathLink } from '../parts/link.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { AppView } from './app-view.tsx';

const mayChange = ({ role }: Organisation): boolean => ROLES.indexOf(role) >= ROLES.indexOf('admin');

type Making = 'app' | 'organisation';

/** Organisations of the person, and the apps of each. */
export function AppsPage() {
  const t = useTexts();
  const session = useSession();
  const [search, change] = useAddress();
  const [making, setMaking] = useState<Making>();
  const own = session.organisations.filter(mayChange);
  const open = search['open'];
  return (
    <>
      <Heading title={t.nav.names.apps}>
        {own.length > 0 && (
          <>
            <button type="button" className="button" onClick={() => setMaking('organisation')}>
              {t.apps.makeOrganisation}
            </button>
            <button type="button" className="button main" onClick={() => setMaking('app')}>
              {t.apps.make}
            </button>
          </>
        )}
      </Heading>
      <p className="muted">{t.home.whatApp}</p>
      {session.organisations.map((organisation) => (
        <AppsOf key={organisation.id} organisation={organisation} />
      ))}
      {making === 'app' && <MakeApp among={own} onClose={() => setMaking(undefined)} />}
      {making === 'organisation' && <NameOrganisation onClose={() => setMaking(undefined)} />}
      {open !== undefined && (
        <SidePanel onClose={() => change({ open: '' })}>
          <AppView key={open} id={open} />
        </SidePanel>
      )}
    </>
  );
}

/** Apps of one organisation, those that are suspended too. */
function AppsOf({ organisation }: { organisation: Organisation }) {
  const t = useTexts();
  const session = useSession();
  const { environment } = useHere();
  const [, change] = useAddress();
  const [isNaming, setIsNaming] = useState(false);
  const { id, name } = organisation;
  const found = useQuery({
    queryKey: ['apps', id],
    queryFn: async (): Promise<App[]> => {
      const all: App[] = [];
      for await (const app of api.apps.list({ limit: 100 }, { place: { organisationId: id } })) all.push(app);
      return all;
    },
  });
  return (
    <section className="section" aria-label={name}>
      <div className="heading">
        <h2>{name}</h2>
        <ExportButton
          what={name}
          of={{ name: `apps-${id}`, path: '/v1/apps', query: () => ({}), at: { place: { organisationId: id } } }}
        />
        {mayChange(organisation) && (
          <button type="button" className="button plain" onClick={() => setIsNaming(true)}>
            {t.apps.rename} <span className="sr-only">{name}</span>
          </button>
        )}
      </div>
      {found.data === undefined ? (
        <Unread of={found} />
      ) : found.data.length === 0 ? (
        <p className="muted">{t.apps.none}</p>
      ) : (
        <div className="box wide">
          <table className="table">
            <thead>
              <tr>
                <th>{t.fields.status}</th>
                <th>{t.common.name}</th>
                <th>{t.apps.slug}</th>
                <th>{t.fields.made}</th>
                <th>
                  <span className="sr-only">{t.common.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.data.map((app) => (
                <tr key={app.id}>
                  <td>
                    <State
                      of={app.status === 'active' ? 'active' : 'held'}
                      word={app.status === 'active' ? t.states.active : t.apps.suspended}
                    />
                  </td>
                  <td>
                    <PathLink to={`/${nameOf(session, app)}/${environment}/overview`}>{app.name}</PathLink>
                    {app.description !== undefined && <div className="muted">{app.description}</div>}
                  </td>
                  <td className="mono">{app.slug}</td>
                  <td>
                    <Time at={app.createdAt} />
                  </td>
                  <td>
                    <button type="button" className="button plain" onClick={() => change({ open: app.id })}>
                      {t.apps.settings} <span className="sr-only">{app.name}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isNaming && <NameOrganisation of={organisation} onClose={() => setIsNaming(false)} />}
    </section>
  );
}

/** A new app, in one of the organisations where the person may make one. */
function MakeApp({ among, onClose }: { among: readonly Organisation[]; onClose: () => void }) {
  const t = useTexts();
  const { act } = useActs();
  const { organisation } = useHere();
  const client = useQueryClient();
  const [form, setForm] = useState({ name: '', slug: '', description: '' });
  const first = among.find(({ id }) => id === organisation.id) ?? among[0];
  const [organisationId, setOrganisationId] = useState(first?.id ?? '');
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    problem: problemOf(error, name),
  });
  return (
    <Dialog title={t.apps.make} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          const { name, slug, description } = form;
          void act(
            async () => {
              await api.apps.create(
                { name, ...(slug !== '' && { slug }), ...(description !== '' && { description }) },
                { place: { organisationId } },
              );
              onClose();
              await client.invalidateQueries({ queryKey: ['session'] });
              await client.invalidateQueries({ queryKey: ['apps'] });
            },
            { told: t.apps.made, onFailure: setError },
          );
        }}
      >
        {among.length > 1 && (
          <ChoiceField
            label={t.apps.organisation}
            value={organisationId}
            onChange={setOrganisationId}
            options={among.map(({ id, name }) => [id, name])}
          />
        )}
        <TextField label={t.common.name} {...field('name')} isRequired hasFocus />
        <TextField label={t.apps.slug} {...field('slug')} hint={t.apps.slugHint} isCode />
        <TextField label={t.schemas.description} {...field('description')} />
        <Failure error={error} />
        <FormButtons go={t.apps.make} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** A new organisation, or another name for one. */
function NameOrganisation({ of, onClose }: { of?: Organisation; onClose: () => void }) {
  const t = useTexts();
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(of?.name ?? '');
  const [error, setError] = useState<unknown>();
  return (
    <Dialog title={of === undefined ? t.apps.makeOrganisation : t.apps.rename} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              if (of === undefined) await api.organisations.create({ name });
              else await api.organisations.update(of.id, { name }, { place: { organisationId: of.id } });
              onClose();
              await client.invalidateQueries({ queryKey: ['session'] });
            },
            { told: t.common.saved, onFailure: setError },
          );
        }}
      >
        <p className="muted">{t.apps.organisationWhy}</p>
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <Failure error={error} />
        <FormButtons go={t.common.save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
