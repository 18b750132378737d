import { useTexts } from '../lib/texts.ts';
import { HereLink } from './link.tsx';

/** Stands in place of a form that needs a channel, where there is none. */
export function NoChannel() {
  const t = useTexts();
  return (
    <p>
      {t.messages.noChannel} <HereLink to="/channels/new">{t.channels.make}</HereLink>
    </p>
  );
}
