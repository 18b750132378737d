import { useEffect, useState } from 'react';
import { durationText, useTimes } from '../lib/times.ts';
import { usePaused } from './pause.tsx';

/** A time as text; how long ago stands behind it. */
export function Time({ at }: { at: string }) {
  const times = useTimes();
  return (
    <time dateTime={at} title={`${times.full(at)} · ${times.relative(at)}`}>
      {times.short(at)}
    </time>
  );
}

/** Counts down to a time, each second. */
export function Until({ at }: { at: string }) {
  const [now, setNow] = useState(() => Date.now());
  const isPaused = usePaused();
  useEffect(() => {
    if (isPaused) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isPaused]);
  return <span>{durationText(Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000) * 1_000))}</span>;
}
