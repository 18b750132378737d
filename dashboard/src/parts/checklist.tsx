import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Channel, type MessageSummary, type Subscription } from '../api/client.ts';
import type { Written } from '../api/requests.ts';
import { firstRequests } from '../lib/first-requests.ts';
import { useHere } from '../lib/session.ts';
import { isSystemChannel } from '../lib/system-channel.ts';
import { useTexts } from '../lib/texts.ts';
import { FirstTarget } from './first-target.tsx';
import { HereLink } from './link.tsx';
import { ShellLines } from './shell-lines.tsx';
import { State } from './state.tsx';

type Given = {
  channels: readonly Channel[];
  subscriptions: readonly Subscription[];
  messages: readonly MessageSummary[];
};
type Step = { isDone: boolean; text: string; to: string; more?: ReactNode; sent?: Written };

/** The way of a new place to its first delivery, for those who may go it. Nothing where a message has arrived once. */
export function Checklist({ channels, subscriptions, messages }: Given) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const arrived = useQuery({
    queryKey: [path, 'first-arrived'],
    queryFn: async () =>
      (await api.deliveries.list({ status: 'delivered', responseBodies: 'false', limit: 1 }, at).page()).data.length >
      0,
    refetchInterval: ({ state }) => (state.data === true ? false : 3_000),
    enabled: may('developer'),
  });
  if (!may('developer') || arrived.data !== false) return null;
  // The channel of the service's own events is there from the start: it is no step of anybody's.
  const own = channels.filter((channel) => !isSystemChannel(channel));
  const isPublished = messages.some(({ channelId }) => own.some(({ id }) => id === channelId));
  const requests = firstRequests(own[0]?.id);
  const steps: readonly Step[] = [
    {
      isDone: own.length > 0,
      text: t.overview.steps.channel,
      to: '/channels/new',
      sent: requests.channel,
    },
    {
      sent: requests.subscription,
      isDone: subscriptions.length > 0,
      text: t.overview.steps.subscription,
      to: '/subscriptions/new',
      more: own.length > 0 && <FirstTarget />,
    },
    {
      isDone: isPublished,
      text: t.overview.steps.message,
      to: '/messages/new',
      sent: requests.message,
    },
    { isDone: false, text: t.overview.steps.delivered, to: '/deliveries' },
  ];
  return (
    <section className="box section" aria-label={t.overview.begin}>
      <h2>{t.overview.begin}</h2>
      <ol className="steps">
        {steps.map(({ isDone, text, to, more }) => (
          <li key={to}>
            <State of={isDone ? 'delivered' : 'pending'} word={isDone ? t.overview.done : t.overview.toDo} />{' '}
            <HereLink to={to}>{text}</HereLink>
            {!isDone && more}
          </li>
        ))}
      </ol>
      <details>
        <summary>{t.overview.byShell}</summary>
        <div className="stack">
          <ShellLines of={steps.flatMap(({ sent: written }) => written ?? [])} />
          {may('admin') && <HereLink to="/api-keys">{t.overview.makeKey}</HereLink>}
        </div>
      </details>
    </section>
  );
}
