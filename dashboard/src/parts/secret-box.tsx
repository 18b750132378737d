import { type ReactNode, useState } from 'react';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Ask } from './ask.tsx';
import { Code } from './code.tsx';
import { Time } from './time.tsx';

/** A secret that two sides know. `expiresAt`: until when it is taken, since there is a newer one, which may be all that is told of it. */
export type Kept = { secret?: string; createdAt?: string; expiresAt?: string };

type Given = {
  /** The name of the thing that it is the secret of. */
  name: string;
  label: string;
  /** Stands where the secret is not shown. */
  hidden: string;
  show: () => Promise<readonly Kept[]>;
  rotate: () => Promise<readonly Kept[]>;
  /** The question before it is rotated. */
  children: ReactNode;
};

/** A secret, shown when it is asked for, and replaced with an overlap. */
export function SecretBox({ name, label, hidden, show, rotate, children }: Given) {
  const t = useTexts();
  const { act } = useActs();
  const { environment } = useHere();
  const [shown, setShown] = useState<readonly Kept[]>();
  const [isRotating, setIsRotating] = useState(false);
  return (
    <>
      {shown === undefined ? (
        <p className="mono">{hidden}</p>
      ) : (
        shown.map(({ secret, createdAt, expiresAt }) => (
          <div key={secret ?? createdAt} className="stack">
            {secret === undefined ? <p className="mono">{hidden}</p> : <Code text={secret} label={label} />}
            {createdAt !== undefined && (
              <p className="muted">
                {t.subscriptions.signsSince} <Time at={createdAt} />
                {expiresAt !== undefined && (
                  <>
                    , {t.subscriptions.signsUntil} <Time at={expiresAt} />
                  </>
                )}
              </p>
            )}
            {createdAt === undefined && expiresAt !== undefined && (
              <p className="muted">
                {t.inbound.takenUntil} <Time at={expiresAt} />
              </p>
            )}
          </div>
        ))
      )}
      <div className="buttons">
        <button
          type="button"
          className="button"
          onClick={() => (shown === undefined ? void act(async () => setShown(await show())) : setShown(undefined))}
        >
          {shown === undefined ? t.subscriptions.showSecret : t.subscriptions.hideSecret}
        </button>
        <button type="button" className="button" onClick={() => setIsRotating(true)}>
          {t.subscriptions.rotate}
        </button>
      </div>
      {isRotating && (
        <Ask
          title={t.subscriptions.rotate}
          go={t.subscriptions.rotate}
          typed={environment === 'live' ? name : undefined}
          onClose={() => setIsRotating(false)}
          onGo={() => void act(async () => setShown(await rotate()), { told: t.subscriptions.rotated })}
        >
          {children}
        </Ask>
      )}
    </>
  );
}
