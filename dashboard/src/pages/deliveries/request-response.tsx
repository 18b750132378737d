import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { api, type Attempt } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { bodyOf } from '../../lib/signature.ts';
import { CodeFacts } from '../../ui/code/code-box.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { Box, BoxHead } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tip } from '../../ui/tooltip.tsx';

/** The request and the response, side by side if there is room. The body of the request is that of the message. */
export function RequestResponse({
  attempt,
  messageId,
  isStacked = false,
  below,
}: {
  attempt: Attempt;
  messageId: string;
  isStacked?: boolean;
  below?: ReactNode;
}) {
  return (
    <div className={clsx('grid gap-4', !isStacked && 'xl:grid-cols-2')}>
      <RequestBox attempt={attempt} messageId={messageId} />
      <ResponseBox attempt={attempt} below={below} />
    </div>
  );
}

/** Headers as they were sent. The signature is generated anew for each attempt, and Posthorn does not store it. */
const headersOf = (headers: Readonly<Record<string, string>>): [string, ReactNode][] =>
  Object.entries(headers).map(([name, value]) => [
    name,
    name === 'webhook-signature' && value === '***' ? (
      <span className="text-text-3">not kept</span>
    ) : name === 'posthorn-hops' ? (
      <Tip text="How often this event went through a webhook and was published again. Posthorn refuses it from 5 on, so that a loop ends">
        <span>{value}</span>
      </Tip>
    ) : (
      value.replaceAll('***', '•••••••• hidden')
    ),
  ]);

export function RequestBox({ attempt: { request }, messageId }: { attempt: Attempt; messageId: string }) {
  const { at, path } = useHere();
  const message = useQuery({
    queryKey: [path, 'message', messageId],
    queryFn: () => api.messages.get(messageId, at).withAnswer(),
    enabled: request !== undefined,
    // If the body is gone, a note says so in its place.
    meta: { failure: 'own' },
    retry: false,
  });
  if (request === undefined) return <Missing title="Request">Request not stored</Missing>;
  if (message.isPending) return <Skeleton label="Loading request" />;
  // Every attempt sends the same body. An erased message has none, and one that was deleted returns 404.
  const isThere = message.data !== undefined && message.data.data.erasedAt === undefined;
  return (
    <CodeView
      label="Request"
      text={isThere ? bodyOf(message.data.text) : ''}
      empty="Body deleted: past retention or erased"
      above={<CodeFacts facts={headersOf(request.headers)} />}
    />
  );
}

export function ResponseBox({ attempt: { response, errorMessage }, below }: { attempt: Attempt; below?: ReactNode }) {
  if (response === undefined) return <Missing title="Response">{errorMessage ?? 'No response'}</Missing>;
  return (
    <CodeView
      label="Response"
      text={response.body}
      empty="Empty body"
      above={<CodeFacts facts={headersOf(response.headers)} />}
      below={below}
    />
  );
}

function Missing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box label={title}>
      <BoxHead title={title} />
      <p className="bg-sunken px-3 py-6 text-center text-text-2">{children}</p>
    </Box>
  );
}
