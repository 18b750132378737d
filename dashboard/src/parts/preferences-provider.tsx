import { createContext, type ReactNode, useEffect, useMemo, useState } from 'react';
import { keep, kept } from '../lib/kept.ts';
import { firstLanguage, type Language, LanguageContext, loadTexts } from '../lib/texts.ts';
import { type Zone, ZoneContext } from '../lib/times.ts';

type Setters = { setLanguage(language: Language): void; setZone(zone: Zone): void };
export const PreferencesContext = createContext<Setters>({ setLanguage() {}, setZone() {} });

/** Language and zone of the reader, kept by the browser. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const [zone, setZone] = useState<Zone>(kept('zone') === 'local' ? 'local' : 'utc');
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const setters = useMemo(
    (): Setters => ({
      setLanguage(next) {
        keep('language', next);
        void loadTexts(next).then(() => setLanguage(next));
      },
      setZone(next) {
        keep('zone', next);
        setZone(next);
      },
    }),
    [],
  );
  return (
    <PreferencesContext value={setters}>
      <LanguageContext value={language}>
        <ZoneContext value={zone}>{children}</ZoneContext>
      </LanguageContext>
    </PreferencesContext>
  );
}
