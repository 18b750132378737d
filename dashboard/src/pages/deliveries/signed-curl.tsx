import { useEffect, useState } from 'react';
import { api, type Delivery } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { bodyOf, canSign, signedCurl } from '../../lib/signature.ts';
import { useActs } from '../../parts/acts.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

type Signed = { secret: string; body: string };

/** Endpoints accept a signature for five minutes, so the displayed command is never much older than this. */
const SIGNED_ANEW_MS = 60_000;

/**
 * Shows the request of a delivery as a shell command, signed now, for example to send it to an endpoint on your own
 * machine.
 */
export function SignedCurl({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { at } = useHere();
  const { act } = useActs();
  const [url, setUrl] = useState('http://localhost:3000/');
  const [signed, setSigned] = useState<Signed>();
  const [line, setLine] = useState<string>();
  useEffect(() => {
    void act(async () => {
      if (!canSign()) throw new Error('Signing needs HTTPS, or localhost');
      const [{ secret }, { text }] = await Promise.all([
        api.subscriptions.getSecret(delivery.subscriptionId, at),
        api.messages.get(delivery.messageId, at).withAnswer(),
      ]);
      setSigned({ secret, body: bodyOf(text) });
    }).then((isDone) => {
      if (!isDone) onClose();
    });
    // Fetched once, when the dialog opens, because each time a secret is revealed it is recorded in the audit log.
  }, []);
  useEffect(() => {
    if (signed === undefined) return;
    let isOver = false;
    const sign = async (): Promise<void> => {
      const text = await signedCurl({ ...signed, url, id: delivery.messageId, now: new Date() });
      if (!isOver) setLine(text);
    };
    void sign();
    const timer = setInterval(() => void sign(), SIGNED_ANEW_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [signed, url, delivery.messageId]);
  return (
    <Dialog
      title="Copy as cURL"
      size="wide"
      description="The same request with a fresh signature, for example to an endpoint on your machine. Revealing the secret is logged."
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <TextField label="Endpoint URL" value={url} onChange={setUrl} isMono hasFocus />
      {line === undefined ? <Skeleton label="Signing" /> : <CodeLines text={line} title="cURL" />}
    </Dialog>
  );
}
