import { useEffect, useRef, useState } from 'react';

/** A reader of the screen is told so often at most: a number that changes every second would be all that there is to hear. */
const EVERY_MS = 10_000;

/** Says a text to readers of the screen, and later what has become of it. */
export function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  const nextAt = useRef(0);
  useEffect(() => {
    if (text === said) return;
    const say = (): void => {
      nextAt.current = Date.now() + EVERY_MS;
      setSaid(text);
    };
    const timer = setTimeout(say, Math.max(0, nextAt.current - Date.now()));
    return () => clearTimeout(timer);
  }, [text, said]);
  return (
    <span className="sr-only" role="status">
      {said}
    </span>
  );
}
