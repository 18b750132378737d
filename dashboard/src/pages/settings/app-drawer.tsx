import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CirclePause, CirclePlay, RotateCcw, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import { api, type App, ROLES, type UpdateApp } from '../../api/client.ts';
import { fieldNames } from '../../lib/edits.ts';
import { policyText } from '../../lib/policy-text.ts';
import { changedPolicy, POLICY_NUMBERS } from '../../lib/retry-policy.ts';
import { nameOf, useHere, useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { PathLink } from '../../parts/link.tsx';
import { NewerNote } from '../../parts/newer-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { useEdits } from '../../parts/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/callout.tsx';
import { CancelButton, Drawer } from '../../ui/dialog.tsx';
import { Switch, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { MillisecondsField } from '../../ui/milliseconds-field.tsx';

/** Settings of an app: the defaults for what is created in it from now on, and whether it is suspended. */
export function AppDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const session = useSession();
  const { environment } = useHere();
  const found = useQuery({
    queryKey: ['app', id],
    queryFn: () => api.apps.get(id, { place: { appId: id, environment } }),
  });
  const owner = session.organisations.find(({ apps }) => apps.some((app) => app.id === id));
  const mayChange = owner !== undefined && ROLES.indexOf(owner.role) >= ROLES.indexOf('admin');
  if (found.data === undefined)
    return (
      <Drawer title="App" onClose={onClose}>
        <NotRead of={found} />
      </Drawer>
    );
  return <AppForm key={found.data.id} app={found.data} mayChange={mayChange} onClose={onClose} />;
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

const LABELS = {
  name: 'Name',
  slug: 'Slug',
  description: 'Description',
  retentionDays: 'Retention',
  timeoutMs: 'Timeout',
  circuitBreaker: 'Circuit breaker',
  maxRetries: 'Max retries',
  initialDelay: 'Initial delay',
  maxDelay: 'Max delay',
  backoffMultiplier: 'Backoff multiplier',
} as const;

function AppForm({ app, mayChange, onClose }: { app: App; mayChange: boolean; onClose: () => void }) {
  const session = useSession();
  const { environment } = useHere();
  const client = useQueryClient();
  const edits = useEdits(fieldsOf(app));
  const { values, written } = edits;
  const retryPolicy = changedPolicy(written, values);
  const [error, setError] = useState<unknown>();
  const [isSuspending, setIsSuspending] = useState(false);
  const at = { place: { appId: app.id, environment } };
  const refresh = async (): Promise<void> => {
    for (const key of ['app', 'apps', 'session']) await client.invalidateQueries({ queryKey: [key] });
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
  const save = (): void => {
    setError(undefined);
    edits.save({
      names: fieldNames({ ...written, ...retryPolicy }),
      read: async () => fieldsOf(await api.apps.get(app.id, at)),
      send: async () => fieldsOf(await api.apps.update(app.id, changed, at)),
      refresh,
      onFailure: setError,
    });
  };
  const reset = (): void => {
    setError(undefined);
    edits.save({
      names: SETTINGS,
      send: async () => fieldsOf(await api.apps.update(app.id, { settings: null }, at)),
      refresh,
      onFailure: setError,
    });
  };
  const request = useRequestToggle(save);
  const isDisabled = !mayChange;
  const text = (name: 'name' | 'slug' | 'description') => ({
    label: LABELS[name],
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    error: problemOf(error, name),
    isDisabled,
  });
  const setting = (name: 'retentionDays' | 'timeoutMs') => ({
    label: LABELS[name],
    value: values[name],
    onChange: (value: string) => edits.write({ [name]: value }),
    error: problemOf(error, `settings.${name}`),
    isDisabled,
    isRequired: true,
  });
  const policy = (name: (typeof POLICY_NUMBERS)[number]) => ({
    label: LABELS[name],
    value: String(values[name]),
    onChange: (value: string) => edits.write({ [name]: Number(value) }),
    error: problemOf(error, `settings.retryPolicy.${name}`),
    isDisabled,
  });
  const isActive = app.status === 'active';
  return (
    <Drawer
      title={app.name}
      onClose={onClose}
      beside={
        <MoreMenu
          groups={[
            {
              items: [
                {
                  label: 'Open app',
                  icon: SquareArrowOutUpRight,
                  render: <PathLink to={`/${nameOf(session, app)}/${environment}/overview`} />,
                },
                mayChange && { label: 'Reset to Posthorn defaults', icon: RotateCcw, onSelect: reset },
              ],
            },
            {
              items: [
                mayChange &&
                  isActive && {
                    label: 'Suspend app…',
                    icon: CirclePause,
                    isDanger: true,
                    onSelect: () => setIsSuspending(true),
                  },
              ],
            },
          ]}
        />
      }
      {...(mayChange && {
        onSubmit: save,
        actions: (
          <>
            {request.button}
            <CancelButton />
            <Button look="primary" type="submit">
              Save
            </Button>
          </>
        ),
      })}
    >
      <div className="flex flex-col gap-7">
        {!isActive && (
          <Note
            kind="warning"
            icon={CirclePause}
            actions={
              mayChange && (
                <Button size="small" icon={CirclePlay} onClick={() => setIsSuspending(true)}>
                  Resume app…
                </Button>
              )
            }
          >
            <strong>Suspended.</strong> API requests are rejected and deliveries wait until you resume.
          </Note>
        )}
        <div className="flex flex-col gap-4">
          <TextField {...text('name')} isRequired />
          <TextField {...text('slug')} hint="Used in URLs and by the CLI: a–z, 0–9 and hyphens" isRequired isMono />
          <TextField {...text('description')} placeholder="None" />
        </div>
        <Section title="Defaults for new channels and subscriptions">
          <div className="flex flex-col gap-4">
            <div className="grid grid-cols-2 items-start gap-4 max-md:grid-cols-1">
              <TextField {...setting('retentionDays')} inputMode="numeric" type="number" min={1} after="days" />
              <MillisecondsField {...setting('timeoutMs')} />
              <TextField {...policy('maxRetries')} inputMode="numeric" type="number" min={0} />
              <TextField {...policy('backoffMultiplier')} inputMode="decimal" type="number" min={1} step="any" />
              <MillisecondsField {...policy('initialDelay')} />
              <MillisecondsField {...policy('maxDelay')} />
            </div>
            <p className="text-12 text-text-3">{policyText(values)}</p>
            <Switch
              label="Circuit breaker"
              hint="Pauses a subscription for a while when all of its attempts fail"
              isOn={values.circuitBreaker}
              onChange={(circuitBreaker) => edits.write({ circuitBreaker })}
              isDisabled={isDisabled}
            />
          </div>
        </Section>
        <NewerNote edits={edits} at={app.updatedAt} names={LABELS} />
        <FailureNote error={error} />
        {request.lines}
      </div>
      {isSuspending && (
        <Suspension
          app={app}
          update={async (body) => {
            await api.apps.update(app.id, body, at);
            await refresh();
          }}
          onClose={() => setIsSuspending(false)}
        />
      )}
    </Drawer>
  );
}

/** Suspends an app, or reactivates it. */
function Suspension({
  app: { name, status },
  update,
  onClose,
}: {
  app: App;
  update: (body: UpdateApp) => Promise<void>;
  onClose: () => void;
}) {
  const { act } = useActs();
  const isActive = status === 'active';
  return (
    <Confirm
      title={`${isActive ? 'Suspend' : 'Resume'} ${name}?`}
      go={isActive ? 'Suspend app' : 'Resume app'}
      isDanger={isActive}
      typed={name}
      isOfBothEnvironments
      onClose={onClose}
      onGo={() =>
        void act(() => update({ status: isActive ? 'suspended' : 'active' }), {
          told: isActive ? 'App suspended' : 'App resumed',
        })
      }
    >
      {isActive
        ? 'API requests are rejected within 5 seconds, in Live and in Test. Deliveries, scheduled messages and workflow schedules wait until you resume.'
        : 'API requests are accepted again, and everything that waits is delivered, oldest first.'}
    </Confirm>
  );
}
