import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { agoText, dateText, clockText, exactText, inText } from '../lib/format.ts';
import { ZoneContext } from '../lib/times.ts';
import { Tip } from '../ui/tooltip.tsx';
import { usePaused } from './pause.tsx';

const NowContext = createContext<number | undefined>(undefined);
const EVERY_MS = 1_000;

/**
 * One clock for all relative times of a page, because a list of 40 rows has 80 of them. It stops while updates are
 * paused.
 */
export function NowProvider({ children }: { children: ReactNode }) {
  const isPaused = usePaused();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (isPaused) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, [isPaused]);
  return <NowContext value={now}>{children}</NowContext>;
}

/** The present time in ms, as the page shows it. */
export function useNow(): number {
  const now = useContext(NowContext);
  return now ?? Date.now();
}

/** The user's time zone, used for all times of a page. */
export const useZone = () => useContext(ZoneContext);

function Moment({ at, children }: { at: string; children: string }) {
  const zone = useZone();
  const other = zone === 'utc' ? 'local' : 'utc';
  const both = `${exactText(at, zone)} (${exactText(at, other).slice(11, 19)} ${zone === 'utc' ? 'local' : 'UTC'})`;
  return (
    <Tip text={both}>
      <time dateTime={at} className="tabular-nums">
        {children}
      </time>
    </Tip>
  );
}

/** Shows how long ago something was: `12 s ago`. The exact time is in the tooltip. */
export function Ago({ at }: { at: string }) {
  return <Moment at={at}>{agoText(at, useNow(), useZone())}</Moment>;
}

/** Counts down to when something will be: `in 41 s`. */
export function In({ at }: { at: string }) {
  return <Moment at={at}>{inText(at, useNow(), useZone())}</Moment>;
}

/** Shows a time on a page that names its zone once: `14:02:24`. */
export function Clock({ at }: { at: string }) {
  return <Moment at={at}>{clockText(at, useZone())}</Moment>;
}

/** Shows the day and time when something started: `28 Nov 09:17`. */
export function When({ at }: { at: string }) {
  return <Moment at={at}>{dateText(at, useNow(), useZone())}</Moment>;
}

/** Shows a full time with its zone. */
export function Exact({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} className="tabular-nums">
      {exactText(at, zone)}
    </time>
  );
}
