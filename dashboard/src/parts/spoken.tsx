import { useEffect, useRef, useState } from 'react';

/**
 * Shortest time between announcements to screen readers: a number that changes every second would drown out everything
 * else.
 */
const EVERY_MS = 10_000;

/** Announces a text to screen readers, and its later changes. */
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
