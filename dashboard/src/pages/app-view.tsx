import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type App, ROLES, type UpdateApp } from '../api/client.ts';
import { fieldNames } from '../lib/edits.ts';
import { changedPolicy, POLICY_NUMBERS } from '../lib/retry-policy.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, problemOf, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { PolicyDrawing } from '../parts/policy-drawing.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { State } from '../parts/state.tsx';
import { Unread } from '../parts/unread.tsx';
import { useEdits } from '../parts/use-edits.ts';

/** Settings of an app: the defaults of what is made in it from now on, and whether it works at all. */
export function AppView({ id }: { id: string }) {
  const session = useSession();
  const { environment } = useHere();
  const found = useQuery({
    queryKey: ['app', id],
    queryFn: () => api.apps.get(id, { place: { appId: id, environment } }),
  });
  const owner = session.organisations.find(({ apps }) => apps.some((app) => app.id === id));
  const mayChange = owner !== undefined && ROLES.indexOf(owner.role) >= ROLES.indexOf('admin');
  if (found.data === undefined) return <Unread of={found} />;
  return <AppForm key={found.data.id} app={found.data} mayChange={mayChange} />;
}

const fieldsOf = ({ name, slug, description = '', settings }: App) => ({
  name,
  slug,
  description,
  retentionDays: String(settings.retentionDays),
  timeoutMs: String(settings.timeoutMs),
  ...settings.retryPolicy,
  circuitBreaker: settings.circuitBreaker,
});
const SETTINGS = ['retentionDays', 'timeoutMs', 'circuitBreaker', ...POLICY_NUMBERS] as const;

function AppForm({ app, mayChange }: { app: App; mayChange: boolean }) {
  const t = useTexts();
  const { environment } = useHere();
  const client = useQueryClient();
  const edits = useEdits(fieldsOf(app));
  const { values, written } = edits;
  const retryPolicy = changedPolicy(written, values);
  const [error, setError] = useState<unknown>();
  const at = { place: { appId: app.id, environment } };
  const refresh = async (): Promise<void> => {
    for (const key of ['app', 'apps', 'session']) await client.invalidateQueries({ queryKey: [key] });
  };
  const update = async (body: UpdateApp): Promise<void> => {
    await api.apps.update(app.id, body, at);
    await refresh();
  };
  const changed: UpdateApp = {
    ...(written.name !== undefined && { name: written.name }),
    ...(written.slug !== undefined && { slug: written.slug }),
    ...(written.description !== undefined && {
      description: written.description.trim() === '' ? null : written.description,
    }),
    settings: {
      ...(written.retentionDays !== undefined && { retentionDays: Number(written.retentionDays) }),
      ...(written.timeoutMs !== undefined && { timeoutMs: Number(written.timeoutMs) }),
      ...(retryPolicy !== undefined && { retryPolicy }),
      ...(written.circuitBreaker !== undefined && { circuitBreaker: written.circuitBreaker }),
    },
  };
  const field = (name: 'name' | 'slug' | 'description') => ({
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    problem: problemOf(error, name),
  });
  const number = (name: 'retentionDays' | 'timeoutMs') => ({
    type: 'number' as const,
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    problem: problemOf(error, `settings.${name}`),
  });
  return (
    <>
      <Heading title={app.name} isInPanel />
      <p className="sentence">
        <State of={app.status} word={app.status === 'active' ? t.states.active : t.apps.suspended} />{' '}
        {app.status === 'suspended' && t.apps.suspendedWhy}
      </p>
      {mayChange && <Suspension app={app} update={update} />}
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          edits.save({
            names: fieldNames({ ...written, ...retryPolicy }),
            read: async () => fieldsOf(await api.apps.get(app.id, at)),
            send: async () => fieldsOf(await api.apps.update(app.id, changed, at)),
            refresh,
            onFailure: setError,
          });
        }}
      >
        <fieldset className="form" disabled={!mayChange}>
          <TextField label={t.common.name} {...field('name')} isRequired />
          <TextField label={t.apps.slug} {...field('slug')} hint={t.apps.slugHint} isRequired isCode />
          <TextField label={t.schemas.description} {...field('description')} />
        </fieldset>
        <fieldset className="form box" disabled={!mayChange}>
          <legend>{t.apps.defaults}</legend>
          <p className="muted">{t.apps.defaultsWhy}</p>
          <div className="numbers">
            <TextField label={t.apps.retentionDays} {...number('retentionDays')} isRequired />
            <TextField label={t.apps.timeoutMs} {...number('timeoutMs')} isRequired />
            {POLICY_NUMBERS.map((name) => (
              <TextField
                key={name}
                label={t.subscriptions.policyFields[name]}
                type="number"
                value={String(values[name])}
                onChange={(text) => edits.write({ [name]: Number(text) })}
                problem={problemOf(error, `settings.retryPolicy.${name}`)}
              />
            ))}
          </div>
          <PolicyDrawing policy={values} />
          <Check
            label={t.apps.circuitBreaker}
            isOn={values.circuitBreaker}
            onChange={(circuitBreaker) => edits.write({ circuitBreaker })}
          />
        </fieldset>
        <NewerState
          edits={edits}
          at={app.updatedAt}
          names={{
            name: t.common.name,
            slug: t.apps.slug,
            description: t.schemas.description,
            retentionDays: t.apps.retentionDays,
            timeoutMs: t.apps.timeoutMs,
            circuitBreaker: t.apps.circuitBreaker,
            ...t.subscriptions.policyFields,
          }}
        />
        <Failure error={error} />
        {mayChange && (
          <>
            <div className="buttons">
              <button type="submit" className="button main">
                {t.common.save}
              </button>
              <button
                type="button"
                className="button"
                onClick={() => {
                  setError(undefined);
                  edits.save({
                    names: SETTINGS,
                    send: async () => fieldsOf(await api.apps.update(app.id, { settings: null }, at)),
                    refresh,
                    onFailure: setError,
                  });
                }}
              >
                {t.apps.toService}
              </button>
            </div>
            <ShellButton />
          </>
        )}
      </form>
    </>
  );
}

/** Takes an app out of service, or back into it. Both environments stop, so the name is typed wherever one is. */
function Suspension({ app, update }: { app: App; update: (body: UpdateApp) => Promise<void> }) {
  const t = useTexts();
  const { act } = useActs();
  const [isAsking, setIsAsking] = useState(false);
  const isActive = app.status === 'active';
  return (
    <div className="buttons">
      <button type="button" className={isActive ? 'button danger' : 'button main'} onClick={() => setIsAsking(true)}>
        {isActive ? t.apps.suspend : t.apps.resume}
      </button>
      {isAsking && (
        <Ask
          title={isActive ? t.apps.suspendTitle(app.name) : t.apps.resumeTitle(app.name)}
          go={isActive ? t.apps.suspend : t.apps.resume}
          isDanger={isActive}
          typed={app.name}
          onClose={() => setIsAsking(false)}
          onGo={() =>
            void act(() => update({ status: isActive ? 'suspended' : 'active' }), {
              told: isActive ? t.apps.isSuspended : t.apps.isResumed,
            })
          }
        >
          <p>{isActive ? t.apps.suspendWhy : t.apps.resumeWhy}</p>
        </Ask>
      )}
    </div>
  );
}
