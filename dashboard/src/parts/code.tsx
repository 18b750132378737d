import { useState } from 'react';
import { prettyPieces } from '../lib/raw-json.ts';
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

/** Text to be copied: lines for a shell, a secret, a body. `label` says what it is. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="code">
      {/* A region that scrolls must be reached by the keyboard. */}
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** Longest text that is drawn with colours: a longer one is shown as it came, and at once. */
const MOST_COLOURED = 65_536;

/** JSON on lines, with every number and text exactly as it came. What is copied are the bytes that are stored. */
export function JsonText({ json, label }: { json: string; label: string }) {
  const [isRaw, setIsRaw] = useState(json.length > MOST_COLOURED);
  const t = useTexts();
  return (
    <div className="stack">
      <div className="code">
        <pre tabIndex={0} aria-label={label}>
          {isRaw
            ? json
            : [...prettyPieces(json)].map(({ text, kind }, position) =>
                kind === 'sign' ? (
                  text
                ) : (
                  // Pieces have no other name than their place.
                  <span key={position} className={`json-${kind}`}>
                    {text}
                  </span>
                ),
              )}
        </pre>
        <CopyButton text={json} />
      </div>
      <div className="buttons">
        <button type="button" className="button plain" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
          {isRaw ? t.common.onLines : t.common.asStored}
        </button>
      </div>
    </div>
  );
}
