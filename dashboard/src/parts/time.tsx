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

/** The present time in ms, each second while it is wanted. */
export function useClock(isWanted: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  const isPaused = usePaused();
  const isOn = isWanted && !isPaused;
  useEffect(() => {
    if (!isOn) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}

/** Counts down to a time, each second. */
export function Until({ at }: { at: string }) {
  const now = useClock(true);
  return <span>{durationText(Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000) * 1_000))}</span>;
}
