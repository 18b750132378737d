import { Split } from 'lucide-react';
import { useState } from 'react';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { FoundSelectField } from '../../parts/found-select.tsx';
import { MomentField, useMomentOf } from '../../parts/moment-field.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { useSubscriptions } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { useExamination } from './use-examination.ts';
import { Verdict } from './verdict.tsx';

const TITLE = 'Signature debugger';

/**
 * Explains why an endpoint rejects a signature, from what it has received: the pasted request is on the left, the
 * result on the right.
 */
export function DoctorPage() {
  const { may } = useHere();
  return may('developer') ? <Debugger /> : <NoAccess title={TITLE} role="developer" />;
}

function Debugger() {
  const [search] = useAddress();
  const subscriptions = useSubscriptions();
  const momentOf = useMomentOf();
  const [form, setForm] = useState({
    headers: search['message'] === undefined ? '' : `webhook-id: ${search['message']}\n`,
    body: '',
    theirs: '',
    clock: '',
  });
  const [subscriptionId, setSubscriptionId] = useState(search['subscription'] ?? '');
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm((before) => ({ ...before, [name]: value })),
  });
  const clock = momentOf(form.clock);
  const examination = useExamination({
    ...form,
    clock: clock === undefined ? undefined : new Date(clock),
    subscriptionId,
  });
  return (
    <Page title={TITLE}>
      <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <TextArea
            label="Headers"
            {...field('headers')}
            rows={5}
            isMono
            placeholder="webhook-id: msg_…&#10;webhook-timestamp: …&#10;webhook-signature: v1,…"
            hint="In any form: a raw request, a log line or JSON"
          />
          <TextArea
            label="Body"
            {...field('body')}
            rows={9}
            isMono
            placeholder="Not compared"
            hint="The raw bytes that your endpoint verifies"
          />
          <FoundSelectField
            kind="subscription"
            label="Subscription"
            icon={Split}
            known={[['', 'The one that received the message'], ...subscriptions.choices]}
            isMore={subscriptions.isFull}
            isPending={subscriptions.isPending}
            value={subscriptionId}
            onChange={setSubscriptionId}
          />
          <div className="grid gap-4 md:grid-cols-2">
            <TextField
              label="Your endpoint's secret"
              {...field('theirs')}
              type="password"
              autoComplete="new-password"
              placeholder="Not compared"
              isMono
              hint="Stays in this browser"
            />
            <MomentField
              label="Your endpoint's clock"
              {...field('clock')}
              hint="The time in its log when the request arrived"
            />
          </div>
        </div>
        <section aria-label="Result" className="min-w-0 rounded-8 border border-line-strong p-5 lg:sticky lg:top-0">
          <Verdict of={examination} />
        </section>
      </div>
    </Page>
  );
}
