import { Eye, EyeOff, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api, type Webhook, type WebhookSecrets } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { In, When } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';

/** The secrets shared by the sender and this webhook: two while a rotation overlaps. */
export function WebhookSecret({ of: { id, name }, isShownThere }: { of: Webhook; isShownThere: boolean }) {
  const { at } = useHere();
  const { act } = useActs();
  const [shown, setShown] = useState<WebhookSecrets['secrets']>();
  const [isRotating, setIsRotating] = useState(false);
  const [secret, setSecret] = useState('');
  const reveal = async (): Promise<void> => setShown((await api.webhooks.getSecrets(id, at)).secrets);
  const rotate = async (): Promise<void> => {
    const given = secret.trim() === '' ? undefined : { secret: secret.trim() };
    setShown((await api.webhooks.rotateSecret(id, given, at)).secrets);
    setSecret('');
  };
  return (
    <div className="flex flex-col gap-2">
      {shown === undefined ? (
        <p className="mono rounded-6 border border-line bg-sunken px-2.25 py-1.5 text-text-3">••••••••••••••••</p>
      ) : shown.length === 0 ? (
        <p className="text-text-2">No secret set</p>
      ) : (
        shown.map((each) => (
          <div key={each.createdAt}>
            <div
              role="group"
              aria-label="Secret"
              className="flex items-center gap-1 rounded-6 border border-line bg-sunken py-0.5 pr-0.5 pl-2.25"
            >
              <code className="min-w-0 grow [overflow-wrap:anywhere]">{each.secret}</code>
              <CopyButton text={each.secret} label="Copy signing secret" />
            </div>
            <p className="mt-1 text-12 text-text-3">
              Active since <When at={each.createdAt} />
              {each.expiresAt !== undefined && (
                <>
                  , valid until <In at={each.expiresAt} />
                </>
              )}
            </p>
          </div>
        ))
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          icon={shown === undefined ? Eye : EyeOff}
          onClick={() => (shown === undefined ? void act(reveal, { told: () => undefined }) : setShown(undefined))}
        >
          {shown === undefined ? 'Reveal' : 'Hide'}
        </Button>
        <Button size="small" icon={RefreshCw} onClick={() => setIsRotating(true)}>
          {isShownThere ? 'Set secret…' : 'Rotate…'}
        </Button>
      </div>
      {isRotating && (
        <Confirm
          title={isShownThere ? 'Set the signing secret?' : 'Rotate the signing secret?'}
          go={isShownThere ? 'Set secret' : 'Rotate secret'}
          typed={name}
          onClose={() => setIsRotating(false)}
          onGo={() => void act(rotate, { told: isShownThere ? 'Secret set' : 'Secret rotated' })}
          more={
            <TextField
              label="New signing secret"
              value={secret}
              onChange={setSecret}
              isMono
              placeholder="Generated"
              hint="Paste the provider's secret, or leave blank to generate one"
            />
          }
        >
          The old secret stays valid for 24 hours, so no request is rejected while you switch.
        </Confirm>
      )}
    </div>
  );
}
