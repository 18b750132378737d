import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { keep, kept } from '../lib/kept.ts';
import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';

/** Offers a passkey to somebody who has just come in for the first time, until they have one or want none. */
export function PasskeyOffer() {
  const t = useTexts();
  const [isOffered, setIsOffered] = useState(kept('passkey') === 'offered' && 'PublicKeyCredential' in window);
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => api.factors.get(), enabled: isOffered });
  if (!isOffered || factors.data === undefined || factors.data.passkeys > 0) return null;
  return (
    <div className="note" role="note">
      <p>{t.passkeyOffer.why}</p>
      <div className="buttons">
        <HereLink to="/account" className="button">
          {t.passkeyOffer.go}
        </HereLink>
        <button
          type="button"
          className="button plain"
          onClick={() => {
            keep('passkey', 'declined');
            setIsOffered(false);
          }}
        >
          {t.passkeyOffer.no}
        </button>
      </div>
    </div>
  );
}
