import { useState } from 'react';
import { api, isApiError } from '../api/client.ts';
import { addressOfId } from '../lib/find-id.ts';
import { useAddress } from '../lib/search.ts';
import { bodyOf, canSign, examineSignature, type SignatureFault, readHeaders } from '../lib/signature.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { useActs } from '../parts/acts.tsx';
import { Failure } from '../parts/failure.tsx';
import { TextField } from '../parts/field.tsx';
import { FoundField } from '../parts/found-choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { PathLink } from '../parts/link.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { State } from '../parts/state.tsx';
import { TimeField, useTimeOf } from '../parts/time-field.tsx';
import { useSubscriptions } from '../parts/use-names.ts';

const isGood = ({ kind }: SignatureFault): boolean => kind === 'good' || kind === 'good_by_older';

/** Says why a receiver refuses a signature, from what it has seen. */
export function DoctorPage() {
  const t = useTexts();
  const { at, path, may } = useHere();
  const session = useSession();
  const { act } = useActs();
  const [search] = useAddress();
  const subscriptions = useSubscriptions();
  const timeOf = useTimeOf();
  const [form, setForm] = useState({
    headers: search['message'] === undefined ? '' : `webhook-id: ${search['message']}\n`,
    body: '',
    theirs: '',
    clock: '',
  });
  const [subscriptionId, setSubscriptionId] = useState(search['subscription'] ?? '');
  const [elsewhere, setElsewhere] = useState<string>();
  const [findings, setFindings] = useState<readonly SignatureFault[]>();
  const [error, setError] = useState<unknown>();
  if (!may('developer')) return <NotAllowed />;
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const look = async (): Promise<void> => {
    if (!canSign()) throw new Error(t.doctor.insecure);
    const seen = readHeaders(form.headers);
    const message = seen.id === undefined ? undefined : await messageOf(seen.id);
    const chosen = subscriptionId === '' && seen.id !== undefined ? await onlyOneOf(seen.id) : subscriptionId;
    const { secret } =
      chosen === undefined || chosen === '' ? { secret: '' } : await api.subscriptions.getSecret(chosen, at);
    if (secret === '' && seen.id !== undefined) throw new Error(t.doctor.whichSubscription);
    const clock = timeOf(form.clock);
    setFindings(
      await examineSignature({
        seen,
        body: form.body.replace(/\r?\n$/, ''),
        sent: message === undefined ? '' : bodyOf(message.text),
        secret,
        theirs: form.theirs.trim() === '' ? undefined : form.theirs.trim(),
        clock: clock === undefined ? undefined : new Date(clock),
      }),
    );
  };
  /** The message. Says where it is, if that is another app or environment of the person. */
  const messageOf = async (id: string) => {
    try {
      return await api.messages.get(id, at).withAnswer();
    } catch (failure) {
      const address = isApiError(failure, 'NOT_FOUND') ? await addressOfId(session, path, id) : undefined;
      setElsewhere(address?.replace(/\/messages\/.*$/, '/doctor'));
      throw address === undefined ? failure : new Error(t.doctor.elsewhere);
    }
  };
  /** The subscription, where the message went to no other. */
  const onlyOneOf = async (messageId: string): Promise<string | undefined> => {
    const { data } = await api.deliveries.list({ messageId, limit: 2 }, at).page();
    return data.length === 1 ? data[0]?.subscriptionId : undefined;
  };
  return (
    <>
      <Heading title={t.nav.names.doctor} />
      <p className="muted">{t.doctor.why}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          setFindings(undefined);
          setElsewhere(undefined);
          void act(look, { onFailure: setError });
        }}
      >
        <TextField label={t.doctor.headers} {...field('headers')} lines={5} hint={t.doctor.headersHint} isRequired />
        <TextField label={t.doctor.body} {...field('body')} lines={6} hint={t.doctor.bodyHint} />
        <FoundField
          kind="subscription"
          isMore={subscriptions.isFull}
          unset={t.doctor.byMessage}
          label={t.fields.subscription}
          value={subscriptionId}
          onChange={setSubscriptionId}
          options={subscriptions.choices}
        />
        <TextField
          label={t.doctor.theirs}
          {...field('theirs')}
          type="password"
          autoComplete="new-password"
          hint={t.doctor.theirsHint}
        />
        <TimeField label={t.doctor.clock} {...field('clock')} hint={t.doctor.clockHint} />
        <Failure error={error} />
        {elsewhere !== undefined && (
          <p>
            <PathLink to={elsewhere}>{t.doctor.toThere}</PathLink>
          </p>
        )}
        <div className="buttons">
          <button type="submit" className="button main">
            {t.doctor.go}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {findings?.map((finding) => (
          <section key={finding.kind + ('header' in finding ? finding.header : '')} className="box section">
            <p className="sentence">
              <State of={isGood(finding) ? 'delivered' : 'failed'} word={t.doctor.verdicts[finding.kind]} />
            </p>
            <FindingText of={finding} />
          </section>
        ))}
      </div>
    </>
  );
}

function FindingText({ of: finding }: { of: SignatureFault }) {
  const t = useTexts();
  if (finding.kind === 'missing') return <p>{t.doctor.missing(finding.header)}</p>;
  if (finding.kind === 'clock')
    return (
      <p>
        {finding.seconds > 0
          ? t.doctor.clockAhead(durationText(finding.seconds * 1_000, t.units))
          : t.doctor.clockBehind(durationText(-finding.seconds * 1_000, t.units))}
      </p>
    );
  if (finding.kind !== 'body_changed') return <p>{t.doctor.advice[finding.kind]}</p>;
  return (
    <>
      <p>{t.doctor.differs(finding.at)}</p>
      <dl className="facts">
        <dt>{t.doctor.sent}</dt>
        <dd className="mono">{finding.sent}</dd>
        <dt>{t.doctor.seen}</dt>
        <dd className="mono">{finding.seen}</dd>
      </dl>
    </>
  );
}
