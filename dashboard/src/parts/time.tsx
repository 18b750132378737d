import { useEffect, useState } from 'react';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { durationText } from '../lib/units.ts';
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

/** The present time in ms, each second or in steps of `everyMs` while it is wanted. */
function useClock(isWanted: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  const isPaused = usePaused();
  const isOn = isWanted && !isPaused;
  useEffect(() => {
    if (!isOn) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isOn, everyMs]);
  return now;
}

/** Counts down to a time, each second. */
export function Until({ at }: { at: string }) {
  const t = useTexts();
  const now = useClock(true);
  return <span>{durationText(Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000) * 1_000), t.units)}</span>;
}
