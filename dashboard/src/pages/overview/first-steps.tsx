import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { CircleCheck, CircleDashed, Terminal } from 'lucide-react';
import { useState } from 'react';
import { api, type Channel } from '../../api/client.ts';
import { firstRequests } from '../../lib/first-requests.ts';
import { firstInspector } from '../../lib/first-inspector.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { RequestLines } from '../../parts/equivalent-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Box, BoxHead } from '../../ui/layout.tsx';
import { Segmented } from '../../ui/tabs.tsx';

type Given = { channels: readonly Channel[]; hasSubscription: boolean; isPublished: boolean };

/**
 * Guides a new app to its first delivery, for users whose role allows it. Renders nothing once a message was delivered.
 */
export function FirstSteps({ channels, hasSubscription, isPublished }: Given) {
  const { at, path, may } = useHere();
  const [view, setView] = useState('steps');
  const delivered = useQuery({
    queryKey: [path, 'first-delivered'],
    queryFn: async () =>
      (await api.deliveries.list({ status: 'delivered', responseBodies: 'false', limit: 1 }, at).page()).data.length >
      0,
    refetchInterval: ({ state }) => (state.data === true ? false : 3_000),
    enabled: may('developer'),
  });
  if (!may('developer') || delivered.data !== false) return null;
  const requests = firstRequests(channels[0]?.id);
  const steps = [
    { name: 'Create a channel', isDone: channels.length > 0, to: '/channels/new', go: 'Create channel' },
    { name: 'Add a subscription', isDone: hasSubscription, to: '/subscriptions/new', go: 'Add subscription' },
    { name: 'Publish a message', isDone: isPublished, to: '/messages/new', go: 'Publish message' },
    { name: 'See it delivered', isDone: false, to: '/deliveries', go: 'View deliveries' },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Box label="Get started">
      <BoxHead
        title="Get started"
        note={`${steps.filter(({ isDone }) => isDone).length} of ${steps.length}`}
        end={
          <Segmented
            label="Show"
            value={view}
            onChange={setView}
            options={[
              { value: 'steps', label: 'Steps' },
              { value: 'curl', label: 'cURL', icon: Terminal },
            ]}
          />
        }
      />
      {view === 'steps' ? (
        <ol>
          {steps.map(({ name, isDone, to, go }, place) => (
            <li key={to} className="flex min-h-12 items-center gap-2.5 border-line px-3 not-last:border-b">
              <Icon
                of={isDone ? CircleCheck : CircleDashed}
                label={isDone ? 'Done' : 'To do'}
                className={isDone ? 'text-delivered' : 'text-text-3'}
              />
              <span className={clsx('grow', isDone ? 'text-text-2' : place === next && 'font-medium')}>{name}</span>
              {place === next && place === 1 && <UseInspector />}
              {!isDone && (
                <Button look={place === next ? 'primary' : 'default'} size="small" render={<HereLink to={to} />}>
                  {go}
                </Button>
              )}
            </li>
          ))}
        </ol>
      ) : (
        <div className="flex flex-col gap-3 p-3">
          <RequestLines of={[requests.channel, requests.subscription, requests.message]} />
          {may('admin') && (
            <HereLink to="/api-keys" className="text-accent hover:underline">
              Create an API key
            </HereLink>
          )}
        </div>
      )}
    </Box>
  );
}

/** Links to a new subscription whose endpoint is an inspector. */
function UseInspector() {
  const { at } = useHere();
  const { act } = useActs();
  const go = useGo();
  return (
    <Button
      size="small"
      onClick={() =>
        void act(
          async () => {
            const { name, url } = await firstInspector(at);
            go('/subscriptions/new', { target: url, as: name });
          },
          { told: () => undefined },
        )
      }
    >
      No endpoint yet? Use an inspector
    </Button>
  );
}
