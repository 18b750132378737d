import { type ReactNode, useState } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type SentSample, type Webhook, type WebhookSample } from '../api/client.ts';
import { senderOf } from '../lib/providers.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { HereLink } from '../parts/link.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { State } from '../parts/state.tsx';

/** A sample of an inbound webhook, with new ids each time that it is read. */
function useSample(id: string): UseQueryResult<WebhookSample> {
  const { at, path } = useHere();
  return useQuery({ queryKey: [path, 'sample', id], queryFn: () => api.webhooks.getSample(id, at) });
}

/** Why no sample can be signed, for an address whose sender alone can; nothing for any other. */
export function NoSample({ of: row }: { of: Webhook }) {
  const t = useTexts();
  const { data, error } = useSample(row.id);
  if (data?.isSignable === false) return <p className="muted">{t.inbound.sample.cannot(senderOf(row))}</p>;
  return <Failure error={error} />;
}

type Offered = { of: Webhook; onOpen: () => void };

/** In place of requests, where none has come yet. */
export function NothingYet({ of: row, onOpen }: Offered) {
  const t = useTexts();
  const { may } = useHere();
  const { data } = useSample(row.id);
  const isOffered = data?.isSignable === true && row.status === 'active' && may('developer');
  return (
    <Empty title={t.inbound.sample.nothing}>
      <p>{isOffered ? t.inbound.sample.nothingWhy(senderOf(row)) : t.inbound.sample.nothingElse(senderOf(row))}</p>
      {isOffered && <SampleButton of={row} onOpen={onOpen} isMain />}
    </Empty>
  );
}

/** The button that opens the dialog, where a sample can be signed. The first one that is taken ends the offer, but not its dialog. */
export function SampleButton({ of: row, onOpen, isMain = false }: Offered & { isMain?: boolean }) {
  const t = useTexts();
  const sample = useSample(row.id);
  if (sample.data?.isSignable !== true) return null;
  return (
    <button type="button" className={isMain ? 'button main' : 'button'} onClick={onOpen}>
      {t.inbound.sample.send}
    </button>
  );
}

type Draft = { headers: string; body: string };

const draftOf = ({ headers = {}, body = '' }: WebhookSample): Draft => ({
  headers: Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  body,
});

/** Headers as they are written, one on each line; undefined where a line is none. */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => /^([^:\s]+):\s*(.*?)\s*$/.exec(line)?.slice(1) ?? []);
  return found.every(({ length }) => length === 2) ? (Object.fromEntries(found) as Record<string, string>) : undefined;
}

/** The text that is sent and its headers, both of which may be changed, and what became of the last one. */
export function SampleDialog({ of: row, onClose }: { of: Webhook; onClose: () => void }) {
  const { data } = useSample(row.id);
  return data === undefined ? null : <SampleForm of={row} first={data} onClose={onClose} />;
}

function SampleForm({ of: row, first, onClose }: { of: Webhook; first: WebhookSample; onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [draft, setDraft] = useState(draftOf(first));
  const [isBadHeader, setIsBadHeader] = useState(false);
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<SentSample>();
  const change = (part: Partial<Draft>): void => {
    setSent(undefined);
    setError(undefined);
    setIsBadHeader(false);
    setDraft({ ...draft, ...part });
  };
  const send = (): void => {
    const headers = headersIn(draft.headers);
    setSent(undefined);
    setError(undefined);
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
  const sender = senderOf(row);
  return (
    <Dialog title={t.inbound.sample.send} onClose={onClose}>
      <form
        className="form sample"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p>{t.inbound.sample.why(sender)}</p>
        <p>
          <strong>{t.inbound.sample.isReal}</strong>
        </p>
        <TextField
          label={t.inbound.sample.headers}
          value={draft.headers}
          onChange={(headers) => change({ headers })}
          lines={Math.max(2, draft.headers.split('\n').length)}
          hint={t.inbound.sample.headersHint}
          problem={isBadHeader ? t.inbound.sample.badHeader : problemOf(error, 'headers')}
        />
        <TextField
          label={t.inbound.sample.body}
          value={draft.body}
          onChange={(body) => change({ body })}
          lines={12}
          hint={t.inbound.sample[bodyHintOf(row)]}
          problem={problemOf(error, 'body')}
        />
        <Failure error={error} />
        <div aria-live="polite">{sent !== undefined && <Outcome of={sent} sender={sender} />}</div>
        <div className="buttons">
          <button type="submit" className="button main">
            {t.inbound.sample.go}
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              void act(async () => change(draftOf(await api.webhooks.getSample(row.id, at))), { onFailure: setError })
            }
          >
            {t.inbound.sample.another}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.close}
          </button>
        </div>
        <ShellButton />
      </form>
    </Dialog>
  );
}

/** Two services have signed parts within their body, which are put there when the sample is signed. */
const bodyHintOf = ({ scheme, provider }: Webhook): 'payloadHint' | 'signedInsideHint' | 'bodyHint' => {
  if (scheme === 'body') return 'payloadHint';
  return provider === 'mailgun' || provider === 'linear' ? 'signedInsideHint' : 'bodyHint';
};

/** Answer that the sender would have got, and the message where it became one. */
function Outcome({
  of: { outcome, status, messageId, reason, detail = '' },
  sender,
}: {
  of: SentSample;
  sender: string;
}) {
  const t = useTexts();
  const words: Readonly<Record<SentSample['outcome'], ReactNode>> = t.inbound.sample.outcomes;
  const isGood = outcome !== 'refused';
  return (
    <div className={`note ${isGood ? 'good' : 'bad'} stack`}>
      <p>
        <State of={isGood ? 'delivered' : 'failed'} word={words[outcome]} />
        {reason !== undefined && `: ${t.inbound.reasons[reason]}`}
      </p>
      {messageId !== undefined && (
        <p>
          <HereLink to={`/messages/${messageId}`}>{messageId}</HereLink>
        </p>
      )}
      {!isGood && <p>{detail.replace(/^signature: /, '')}</p>}
      <p className="muted">{t.inbound.sample.wouldGet(sender, status)}</p>
    </div>
  );
}
