import { useEffect, useState } from 'react';
import { api, type Delivery } from '../api/client.ts';
import { bodyOf, canSign, signedCurl } from '../lib/signature.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Waiting } from './waiting.tsx';

type Signed = { secret: string; body: string };

/** Receivers take a signature for five minutes: the line that is shown is never much older than this. */
const SIGNED_ANEW_MS = 60_000;

/** The request of a delivery as a line for a shell, signed at this moment: for a receiver on one's own machine. */
export function SignedCurl({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const [url, setUrl] = useState('http://localhost:3000/');
  const [signed, setSigned] = useState<Signed>();
  const [line, setLine] = useState<string>();
  useEffect(() => {
    void act(async () => {
      if (!canSign()) throw new Error(t.doctor.insecure);
      const [{ secret }, { text }] = await Promise.all([
        api.subscriptions.getSecret(delivery.subscriptionId, at),
        api.messages.get(delivery.messageId, at).withAnswer(),
      ]);
      setSigned({ secret, body: bodyOf(text) });
    }).then((isDone) => {
      if (!isDone) onClose();
    });
    // Asked for once, when the dialog is opened: each look at a secret is in the audit log.
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
    <Dialog title={t.doctor.curl} onClose={onClose}>
      <div className="form">
        <p className="muted">{t.doctor.curlWhy}</p>
        <TextField label={t.subscriptions.target} value={url} onChange={setUrl} isCode hasFocus />
        {line === undefined ? <Waiting /> : <Code text={line} label={t.doctor.curl} />}
        <div className="buttons">
          <button type="button" className="button" onClick={onClose}>
            {t.common.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
