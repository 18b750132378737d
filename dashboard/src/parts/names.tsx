import { useQuery } from '@tanstack/react-query';
import type { Subscription } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { shortId } from '../ui/copy.tsx';
import { useThing } from './thing-name.tsx';
import { FIRST_NAMES } from './use-names.ts';

export { useKnownNames } from './thing-name.tsx';

type Kind = keyof typeof FIRST_NAMES;

/**
 * The name of a channel, a subscription or a workflow; the end of its id until the name is known. A right-to-left name
 * does not affect the text next to it.
 */
export function Name({ kind, id }: { kind: Kind; id: string }) {
  const { name, isGone } = useThing({ kind, id });
  if (name === id) return <span className="mono text-text-2">{shortId(id)}</span>;
  return isGone ? (
    <span title={id} className="text-text-2">
      {name}
    </span>
  ) : (
    <bdi>{name}</bdi>
  );
}

/** The name of a subscription, and the host that it sends to if the subscription is among the loaded ones. */
export function SubscriptionName({ id, hasHost = false }: { id: string; hasHost?: boolean }) {
  const host = useHost(hasHost ? id : undefined);
  return (
    <>
      <Name kind="subscription" id={id} />
      {host !== undefined && <span className="ml-1.75 text-text-2">{host}</span>}
    </>
  );
}

/** An endpoint URL for display. Query values may be secrets, so they are masked as they are in requests. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, searchParams } = new URL(url);
  const names = [...searchParams.keys()];
  return `${origin}${pathname}${names.length === 0 ? '' : `?${names.map((name) => `${name}=•••`).join('&')}`}`;
}

/** The host of an endpoint URL. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function useHost(id: string | undefined): string | undefined {
  const { at, path } = useHere();
  const first = useQuery<readonly Subscription[]>({
    queryKey: [path, FIRST_NAMES.subscription.key],
    queryFn: () => FIRST_NAMES.subscription.read(at),
    // Loaded by the page for its choices, not for a single row.
    enabled: false,
  });
  const found = id === undefined ? undefined : first.data?.find((each) => each.id === id);
  return found && hostOf(found.webhookUrl);
}

/** The subscription that a dead letter belongs to, or the workflow of its run. */
export function Whose({
  of,
  hasHost = false,
}: {
  of: { subscriptionId?: string | undefined; workflowId?: string | undefined };
  hasHost?: boolean;
}) {
  if (of.subscriptionId !== undefined) return <SubscriptionName id={of.subscriptionId} hasHost={hasHost} />;
  return of.workflowId === undefined ? null : <Name kind="workflow" id={of.workflowId} />;
}
