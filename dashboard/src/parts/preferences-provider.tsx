import { createContext, type ReactNode, useMemo, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';
import { ZoneContext } from '../lib/times.ts';
import type { Zone } from '../lib/zone-times.ts';

type Setters = { setZone(zone: Zone): void };
export const PreferencesContext = createContext<Setters>({ setZone() {} });

/** The user's time zone, stored by the browser. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [zone, setZone] = useState<Zone>(kept('zone') === 'local' ? 'local' : 'utc');
  const setters = useMemo(
    (): Setters => ({
      setZone(next) {
        keep('zone', next);
        setZone(next);
      },
    }),
    [],
  );
  return (
    <PreferencesContext value={setters}>
      <ZoneContext value={zone}>{children}</ZoneContext>
    </PreferencesContext>
  );
}
