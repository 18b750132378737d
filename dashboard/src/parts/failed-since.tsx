import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';

/** The ways to what has failed since a moment. */
export function FailedSince({ at }: { at: string }) {
  const t = useTexts();
  return (
    <>
      <HereLink to="/deliveries" search={{ status: 'failed', since: at }}>
        {t.marks.failed}
      </HereLink>{' '}
      ·{' '}
      <HereLink to="/dead-letters" search={{ since: at }}>
        {t.marks.deadLetters}
      </HereLink>
    </>
  );
}
