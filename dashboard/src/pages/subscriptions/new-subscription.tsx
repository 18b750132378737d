import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useContext, useRef, useState } from 'react';
import { api, type App } from '../../api/client.ts';
import { firstInspector } from '../../lib/first-inspector.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { changedPolicy } from '../../lib/retry-policy.ts';
import { createBody, newSubscriptionFields } from '../../lib/subscription-fields.ts';
import { onlyChannelOf } from '../../lib/system-channel.ts';
import { ZoneContext } from '../../lib/times.ts';
import { timeOfText } from '../../lib/zone-times.ts';
import { useActs } from '../../parts/acts.tsx';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { HereLink, PROSE_LINK, useGo } from '../../parts/link.tsx';
import { isAtField } from '../../parts/problem-of.ts';
import { useEdits } from '../../parts/use-edits.ts';
import { useChannels } from '../../parts/use-names.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Drawer } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { REJECTED_FIELDS } from './field-names.ts';
import { SubscriptionFieldGroups } from './subscription-form.tsx';
import { SubscriptionsPage } from './subscriptions.tsx';
import { usePageTitle } from '../../shell/use-page-title.ts';

const TITLE = 'Create subscription';
/** Search parameters of the form. */
const OF_FORM = ['target', 'as', 'type'] as const;

/** Creates a subscription in a drawer over the list. */
export function NewSubscriptionPage() {
  const { at, app: here, environment, may } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const channels = useChannels();
  // The policy that applies if no number is changed.
  const app = useQuery({ queryKey: ['app', here.id], queryFn: () => api.apps.get(here.id, at) });
  usePageTitle(TITLE);
  const close = (): void => go('/subscriptions', search['channel'] === undefined ? {} : { channel: search['channel'] });
  const frame = { title: TITLE, environment, onClose: close } as const;
  return (
    <>
      <SubscriptionsPage ofForm={OF_FORM} />
      {!may('developer') ? (
        <Drawer {...frame}>
          <Empty icon={Lock} title="You don't have access">
            <p>You need the Developer role to do this. Ask an admin for access.</p>
          </Empty>
        </Drawer>
      ) : channels.isPending || channels.isError ? (
        <Drawer {...frame}>
          <NotRead of={channels} />
        </Drawer>
      ) : app.data === undefined ? (
        <Drawer {...frame}>
          <NotRead of={app} />
        </Drawer>
      ) : channels.all.length === 0 ? (
        <Drawer {...frame}>
          <Empty
            title="No channels yet"
            actions={
              <Button look="primary" render={<HereLink to="/channels/new" />}>
                Create channel
              </Button>
            }
          >
            <p>A subscription receives the messages of a channel.</p>
          </Empty>
        </Drawer>
      ) : (
        <Form
          firstChannel={search['channel'] ?? onlyChannelOf(channels.all)}
          given={{ webhookUrl: search['target'], name: search['as'], eventType: search['type'] }}
          settings={app.data.settings}
          onClose={close}
        />
      )}
    </>
  );
}

function Form({
  firstChannel,
  given,
  settings,
  onClose,
}: {
  firstChannel: string;
  given: { webhookUrl?: string | undefined; name?: string | undefined; eventType?: string | undefined };
  settings: App['settings'];
  onClose: () => void;
}) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const zone = useContext(ZoneContext);
  const go = useGo();
  const refresh = useRefresh();
  const [channelId, setChannelId] = useState(firstChannel);
  const [hasNoChannel, setHasNoChannel] = useState(false);
  const [error, setError] = useState<unknown>();
  // It starts with the defaults of the app as they were when the form was opened.
  const [begun] = useState(() => newSubscriptionFields(settings, given));
  const box = useRef<HTMLDivElement>(null);
  const [firstFocus] = useState(() => ({
    // The first empty field.
    get current(): HTMLElement | null {
      return box.current?.querySelector<HTMLElement>(firstChannel === '' ? 'button' : 'input[type=url]') ?? null;
    },
  }));
  const edits = useEdits(begun);
  const { values, written, write } = edits;
  const create = (): void => {
    setError(undefined);
    setHasNoChannel(channelId === '');
    if (channelId === '') return;
    let hasReplay = false;
    void act(
      async () => {
        const made = await api.subscriptions.create(
          createBody({ values, written }, { channelId, startFrom: timeOfText(values.startFrom, zone) }),
          at,
        );
        hasReplay = made.replayId !== undefined;
        go(`/subscriptions/${made.id}`);
        await refresh();
      },
      {
        told: () => (hasReplay ? 'Subscription created. Replay of stored messages started' : 'Subscription created'),
        onFailure: setError,
      },
    );
  };
  const request = useRequestDialog(create);
  return (
    <Drawer
      title={TITLE}
      environment={environment}
      onClose={onClose}
      firstFocus={firstFocus}
      onSubmit={create}
      actions={
        <>
          {request.button}
          <CancelButton />
          <Button look="primary" type="submit">
            Create subscription
          </Button>
        </>
      }
    >
      <div ref={box}>
        <SubscriptionFieldGroups
          values={values}
          write={write}
          error={error}
          channelId={channelId}
          onChannel={setChannelId}
          hasNoChannel={hasNoChannel}
          usualTimeoutMs={settings.timeoutMs}
          endpointHint={
            <UseInspector
              onInspector={({ name, url }) => write({ webhookUrl: url, ...(values.name === '' && { name }) })}
              isHidden={values.webhookUrl !== ''}
            />
          }
          isUsualPolicy={changedPolicy(written, values) === undefined}
          isNew
        />
      </div>
      {!isAtField(error, REJECTED_FIELDS) && (
        <div className="mt-4 empty:hidden">
          <FailureNote error={error} />
        </div>
      )}
      {request.dialog}
    </Drawer>
  );
}

/** Sends to an inspector, and names the subscription after it. */
function UseInspector({
  onInspector,
  isHidden,
}: {
  onInspector: (inspector: { name: string; url: string }) => void;
  isHidden: boolean;
}) {
  const { at } = useHere();
  const { act } = useActs();
  if (isHidden) return null;
  return (
    <>
      No endpoint yet?{' '}
      <button
        type="button"
        className={PROSE_LINK}
        onClick={() => void act(async () => onInspector(await firstInspector(at)), { told: () => undefined })}
      >
        Use an inspector
      </button>
    </>
  );
}
