import { useState } from 'react';
import { useTexts } from '../lib/texts.ts';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTexts();
  const [isCopied, setIsCopied] = useState(false);
  return (
    <button
      type="button"
      className="button plain"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setIsCopied(true);
          setTimeout(() => setIsCopied(false), 2_000);
        });
      }}
    >
      {isCopied ? t.common.copied : (label ?? t.common.copy)}
    </button>
  );
}
