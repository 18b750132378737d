import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api, type SentSample, type Webhook, type WebhookSample } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { namedId } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useSample } from './use-sample.ts';
import { detailText, providerName, REASONS } from './words.ts';

type Draft = { headers: string; body: string };

const draftOf = ({ headers = {}, body = '' }: WebhookSample): Draft => ({
  headers: Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  body,
});

/** Parses headers, one per line; returns undefined if a line is not a header. */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => /^([^:\s]+):\s*(.*?)\s*$/.exec(line)?.slice(1) ?? []);
  return found.every(({ length }) => length === 2) ? (Object.fromEntries(found) as Record<string, string>) : undefined;
}

/** Two services sign parts within their body, which are inserted when the sample is signed. */
function bodyHintOf({ scheme, provider }: Webhook): string {
  if (scheme === 'body') return 'Becomes the payload of the signed body';
  return provider === 'mailgun' || provider === 'linear'
    ? 'Sent as shown, with the time and signature added'
    : 'Signed and sent exactly as shown';
}

/** Sends a request as the provider would, signed with the newest secret. Its headers and body can be edited. */
export function SampleDialog({ of: row, onClose }: { of: Webhook; onClose: () => void }) {
  const { data } = useSample(row.id);
  return data === undefined ? null : <SampleForm of={row} first={data} onClose={onClose} />;
}

function SampleForm({ of: row, first, onClose }: { of: Webhook; first: WebhookSample; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [draft, setDraft] = useState(draftOf(first));
  const [isBadHeader, setIsBadHeader] = useState(false);
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<SentSample>();
  const clear = (): void => {
    setSent(undefined);
    setError(undefined);
    setIsBadHeader(false);
  };
  const change = (part: Partial<Draft>): void => {
    clear();
    setDraft({ ...draft, ...part });
  };
  const send = (): void => {
    const headers = headersIn(draft.headers);
    clear();
    setIsBadHeader(headers === undefined);
    if (headers === undefined) return;
    void act(
      async () => {
        setSent(await api.webhooks.sendSample(row.id, { body: draft.body, headers }, at));
        await refresh();
      },
      { onFailure: setError },
    );
  };
  const request = useRequestToggle(send);
  const isAtField = ['headers', 'body'].some((field) => problemOf(error, field) !== undefined);
  return (
    <Dialog
      title="Send test request"
      size="wide"
      environment={environment}
      description="Creates a real message: subscriptions and workflows receive it. Its metadata has sample: true."
      onClose={onClose}
      onSubmit={send}
      actions={
        <>
          {request.button}
          <Button
            icon={RefreshCw}
            onClick={() =>
              void act(async () => change(draftOf(await api.webhooks.getSample(row.id, at))), { onFailure: setError })
            }
          >
            Regenerate IDs
          </Button>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit">
            Send test request
          </Button>
        </>
      }
    >
      <TextArea
        label="Headers"
        value={draft.headers}
        onChange={(headers) => change({ headers })}
        rows={Math.max(2, draft.headers.split('\n').length)}
        isMono
        hint="One per line. The signature is added."
        error={isBadHeader ? 'Write each line as name: value' : problemOf(error, 'headers')}
      />
      <TextArea
        label="Body"
        value={draft.body}
        onChange={(body) => change({ body })}
        rows={11}
        isMono
        hint={bodyHintOf(row)}
        error={problemOf(error, 'body')}
      />
      {!isAtField && <FailureNote error={error} />}
      <div aria-live="polite" className="empty:hidden">
        {sent !== undefined && <Result of={sent} provider={providerName(row)} />}
      </div>
      {request.lines}
    </Dialog>
  );
}

const RESULTS: Readonly<Record<SentSample['outcome'], string>> = {
  received: 'Accepted.',
  repeated: 'Duplicate: an event with this ID is a message already.',
  handshake: 'Answered a verification request. It becomes no message.',
  refused: 'Rejected',
};

/** The response that the provider would get, and the message if the request became one. */
function Result({
  of: { outcome, status, messageId, reason, detail },
  provider,
}: {
  of: SentSample;
  provider: string;
}) {
  const isGood = outcome !== 'refused';
  return (
    <Callout
      tone={isGood ? 'delivered' : 'failed'}
      label="Result"
      title={reason === undefined ? RESULTS[outcome] : `${RESULTS[outcome]}: ${REASONS[reason]}.`}
      actions={
        messageId !== undefined && (
          <Button size="small" render={<HereLink to={`/messages/${messageId}`} />}>
            View {namedId(messageId)}
          </Button>
        )
      }
    >
      {provider} would receive {status}.{!isGood && ` ${detailText(detail) ?? ''}`}
    </Callout>
  );
}
