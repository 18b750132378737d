import { Eye, EyeOff, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api, type Subscription, type SubscriptionSecret } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink, PROSE_LINK } from '../../parts/link.tsx';
import { In, When } from '../../parts/moment.tsx';
import { type OverlapHours, OverlapSelect } from '../../parts/overlap-select.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Section } from '../../ui/layout.tsx';

const HIDDEN = 'whsec_••••••••••••••••••••••••';
const BOX = 'flex min-h-9 items-center gap-1 rounded-6 border border-line bg-sunken py-0.5 pr-0.5 pl-2.5';

/** The secret that signs the requests of a subscription. Each reveal is recorded in the audit log. */
export function SigningSecret({ of: { id, name } }: { of: Subscription }) {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [shown, setShown] = useState<SubscriptionSecret>();
  const [isRotating, setIsRotating] = useState(false);
  const [hours, setHours] = useState<OverlapHours>('24');
  const reveal = async (): Promise<void> => setShown(await api.subscriptions.getSecret(id, at));
  const rotate = async (): Promise<void> => {
    setShown(await api.subscriptions.rotateSecret(id, { overlapHours: Number(hours) }, at));
    await refresh();
  };
  return (
    <Section title="Signing secret" className="max-w-140">
      <p className="mb-3 text-text-2">
        Verifies the <code>webhook-signature</code> header (Standard Webhooks). Revealing it is logged. A signature
        doesn't match?{' '}
        <HereLink to="/doctor" search={{ subscription: id }} className={PROSE_LINK}>
          Debug it
        </HereLink>
      </p>
      {shown === undefined ? (
        <p className={`${BOX} mono text-text-3`}>{HIDDEN}</p>
      ) : (
        <>
          <div role="group" aria-label="Secret" className={BOX}>
            <code className="min-w-0 grow py-1 [overflow-wrap:anywhere]">{shown.secret}</code>
            <CopyButton text={shown.secret} label="Copy signing secret" />
          </div>
          <p className="mt-1 text-12 text-text-3">
            Active since <When at={shown.createdAt} />
          </p>
          {shown.older.map(({ createdAt, expiresAt }) => (
            <div key={createdAt} className="mt-3">
              <p className={`${BOX} mono text-text-3`}>{HIDDEN}</p>
              <p className="mt-1 text-12 text-text-3">
                Active since <When at={createdAt} />. Also valid until <In at={expiresAt} />
              </p>
            </div>
          ))}
        </>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          icon={shown === undefined ? Eye : EyeOff}
          onClick={() => (shown === undefined ? void act(reveal, { told: () => undefined }) : setShown(undefined))}
        >
          {shown === undefined ? 'Reveal' : 'Hide'}
        </Button>
        <Button icon={RefreshCw} onClick={() => setIsRotating(true)}>
          Rotate…
        </Button>
      </div>
      {isRotating && (
        <Confirm
          title="Rotate the signing secret?"
          go="Rotate secret"
          typed={name}
          onClose={() => setIsRotating(false)}
          onGo={() => void act(rotate, { told: 'Secret rotated' })}
          more={<OverlapSelect label="Keep the old secret valid for" value={hours} onChange={setHours} />}
        >
          Requests carry both signatures meanwhile, so none is rejected until the endpoint has the new secret.
        </Confirm>
      )}
    </Section>
  );
}
