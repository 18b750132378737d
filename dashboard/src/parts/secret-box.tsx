import { useState } from 'react';
import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Ask } from './ask.tsx';
import { Code } from './code.tsx';

/** The signing secret of a subscription: shown when it is asked for, and every look is in the audit log. */
export function SecretBox({ id }: { id: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const [secret, setSecret] = useState<string>();
  const [isRotating, setIsRotating] = useState(false);
  if (!may('developer')) return <p>{t.common.notAllowed}</p>;
  return (
    <div className="stack">
      <p className="muted">{t.subscriptions.secretWhy}</p>
      {secret === undefined ? (
        <p className="mono">whsec_••••••••••••</p>
      ) : (
        <Code text={secret} label={t.subscriptions.tabs.secret} />
      )}
      <div className="buttons">
        {secret === undefined ? (
          <button
            type="button"
            className="button"
            onClick={() => void act(async () => setSecret((await api.subscriptions.getSecret(id, at)).secret))}
          >
            {t.subscriptions.showSecret}
          </button>
        ) : (
          <button type="button" className="button" onClick={() => setSecret(undefined)}>
            {t.subscriptions.hideSecret}
          </button>
        )}
        <button type="button" className="button" onClick={() => setIsRotating(true)}>
          {t.subscriptions.rotate}
        </button>
      </div>
      {isRotating && (
        <Ask
          title={t.subscriptions.rotate}
          go={t.subscriptions.rotate}
          onClose={() => setIsRotating(false)}
          onGo={() =>
            void act(async () => setSecret((await api.subscriptions.rotateSecret(id, undefined, at)).secret), {
              told: t.subscriptions.rotated,
            })
          }
        >
          <p>{t.subscriptions.rotateWhy}</p>
        </Ask>
      )}
    </div>
  );
}
