import { Fingerprint, ShieldCheck } from 'lucide-react';
import { durationText } from '../../lib/format.ts';
import type { SignatureFault } from '../../lib/signature.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, PathLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Note } from '../../ui/callout.tsx';
import { namedId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { Examination } from './use-examination.ts';

const VERDICTS: Readonly<Record<SignatureFault['kind'], string>> = {
  missing: 'Headers missing',
  clock: 'Clock skew',
  good: 'Signature valid',
  good_by_older: 'Old secret',
  other_secret: 'Different secret',
  body_changed: 'Body was modified',
  unexplained: 'Signed with a different secret',
};

const isGood = ({ kind }: SignatureFault): boolean => kind === 'good';
const isWarning = ({ kind }: SignatureFault): boolean => kind === 'good_by_older';

/** Why the endpoint rejects the request, and what was known about it. */
export function Verdict({ of: examination }: { of: Examination }) {
  const { seen, message, subscriptionId, findings, needs, elsewhere, error, isReading } = examination;
  if (needs === 'headers')
    return (
      <Empty icon={ShieldCheck} title="Find out why a signature check fails">
        <p>Paste the headers of a request as your endpoint received them. The result updates as you type.</p>
      </Empty>
    );
  const missing = (findings ?? []).flatMap((finding) => (finding.kind === 'missing' ? [finding.header] : []));
  const others = (findings ?? []).filter(({ kind }) => kind !== 'missing');
  return (
    <div className="flex flex-col gap-5">
      <div aria-live="polite" className="flex flex-col gap-3">
        {missing.length > 0 && (
          <Callout tone="retrying" label="Headers missing" title="Headers missing.">
            {missing.join(' and ')} {missing.length === 1 ? "isn't" : "aren't"} in what you pasted. A proxy may remove
            them, or the log leaves them out.
          </Callout>
        )}
        {others.map((finding) => (
          <Finding key={finding.kind} of={finding} />
        ))}
        {elsewhere !== undefined && (
          <Callout
            tone="pending"
            title="This message is in another app or environment."
            actions={
              <PathLink
                to={elsewhere}
                {...(seen.id !== undefined && { search: { message: seen.id } })}
                className="text-accent underline underline-offset-2"
              >
                Open signature debugger there
              </PathLink>
            }
          >
            Its secrets are there too.
          </Callout>
        )}
        {findings === undefined && needs === 'subscription' && (
          <Note kind="warning">Several subscriptions received this message, or none did. Select one.</Note>
        )}
        {findings === undefined && needs === 'https' && (
          <Note kind="warning">
            This browser can't check signatures on plain HTTP. Open the dashboard over HTTPS or as localhost.
          </Note>
        )}
        {findings === undefined && needs === 'proof' && (
          <Note
            icon={Fingerprint}
            actions={
              <Button size="small" look="primary" onClick={examination.prove}>
                Check signature
              </Button>
            }
          >
            You'll be asked to confirm your identity.
          </Note>
        )}
        <FailureNote error={error} />
        {findings === undefined && needs === undefined && elsewhere === undefined && error === undefined && (
          <>
            {isReading ? (
              <Skeleton label="Checking" />
            ) : (
              message === undefined && (
                <Callout tone="failed" title="Unknown message.">
                  {seen.id === undefined ? 'No webhook-id was found.' : 'webhook-id names no message of your apps.'}
                </Callout>
              )
            )}
          </>
        )}
      </div>
      <Section title="Request">
        <Facts
          facts={[
            ['webhook-id', <Header key="id" value={seen.id} />],
            ['webhook-timestamp', <Header key="timestamp" value={seen.timestamp} />],
            ['webhook-signature', <Header key="signature" value={seen.signatures.join(' ') || undefined} />],
            message !== undefined && [
              'Message',
              <HereLink key="message" to={`/messages/${message.id}`} className="text-accent hover:underline">
                {message.eventType} <span className="mono">{namedId(message.id)}</span>
              </HereLink>,
            ],
            message !== undefined && ['Published', <Ago key="published" at={message.publishedAt} />],
            subscriptionId !== undefined && [
              'Subscription',
              <HereLink
                key="subscription"
                to={`/subscriptions/${subscriptionId}`}
                className="text-accent hover:underline"
              >
                <Name kind="subscription" id={subscriptionId} />
              </HereLink>,
            ],
          ]}
          wide
        />
      </Section>
    </div>
  );
}

const Header = ({ value }: { value: string | undefined }) =>
  value === undefined ? <span className="text-failed">Missing</span> : <code>{value}</code>;

function Finding({ of: finding }: { of: SignatureFault }) {
  const tone = isGood(finding) ? 'delivered' : isWarning(finding) ? 'retrying' : 'failed';
  return (
    <div>
      <Callout tone={tone} label={VERDICTS[finding.kind]} title={`${VERDICTS[finding.kind]}.`}>
        {adviceOf(finding)}
      </Callout>
      {finding.kind === 'body_changed' && (
        <div className="mt-2 overflow-hidden rounded-8 border border-line-strong">
          {(
            [
              ['Sent', finding.sent],
              ['Received', finding.seen],
            ] as const
          ).map(([label, text]) => (
            <div key={label} className="grid grid-cols-[80px_minmax(0,1fr)] border-line px-3 py-2 not-last:border-b">
              <span className="text-text-2">{label}</span>
              <code className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</code>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function adviceOf(finding: SignatureFault): string {
  switch (finding.kind) {
    case 'clock':
      return finding.seconds > 0
        ? `Your endpoint's clock is ${durationText(finding.seconds * 1_000)} ahead, or the request was held that long. More than 5 minutes are rejected.`
        : `Your endpoint's clock is ${durationText(-finding.seconds * 1_000)} behind. More than 5 minutes are rejected.`;
    case 'body_changed':
      return `The body differs from the one sent, first at byte ${finding.at}. Check the raw bytes, before anything parses them.`;
    case 'good':
      return 'Headers, body and secret match. If your endpoint still rejects the request, look at how it compares them.';
    case 'good_by_older':
      return 'Your endpoint has the secret from before the rotation. It works until the overlap ends: update it to the new one.';
    case 'other_secret':
      return "Your endpoint's secret didn't sign this request. Use the one of this subscription.";
    default:
      return 'The secret of this subscription did not sign it. It was rotated since, or the request belongs to another subscription.';
  }
}
