import { useMemo, useState } from 'react';
import { blocksOf } from '../lib/blocks.ts';
import { prettyPieces, prettyText } from '../lib/raw-json.ts';
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
        {text.length > MOST_AT_ONCE ? <Blocks text={text} /> : text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** Longest text that is laid out at once, and drawn with colours: each value is an element of its own, and 10,000 took seconds. */
const MOST_AT_ONCE = 16_384;

/** A long text in blocks, of which the browser lays out those in view alone: a payload of 256 KiB froze the page otherwise. */
const Blocks = ({ text }: { text: string }) =>
  // Blocks have no other name than their place.
  blocksOf(text).map((block, position) => (
    <span key={position} className="block">
      {block}
    </span>
  ));

function Coloured({ json }: { json: string }) {
  return [...prettyPieces(json)].map(({ text, kind }, position) =>
    kind === 'sign' ? (
      text
    ) : (
      // Pieces have no other name than their place.
      <span key={position} className={`json-${kind}`}>
        {text}
      </span>
    ),
  );
}

/** JSON on lines, with every number and text exactly as it came. What is copied are the bytes that are stored. */
export function JsonText({ json, label }: { json: string; label: string }) {
  const [isRaw, setIsRaw] = useState(false);
  const t = useTexts();
  const shown = useMemo(() => {
    if (isRaw) return json;
    return json.length > MOST_AT_ONCE ? <Blocks text={prettyText(json)} /> : <Coloured json={json} />;
  }, [json, isRaw]);
  return (
    <div className="stack">
      <div className="code">
        <pre tabIndex={0} aria-label={label}>
          {shown}
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
