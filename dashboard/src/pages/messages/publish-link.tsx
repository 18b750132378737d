import { HereLink } from '../../parts/link.tsx';

/** Leads to the form that publishes a message, with a channel that is chosen already. */
export const PublishLink = ({ channel, ...more }: { channel?: string | undefined; 'aria-label'?: string }) => (
  <HereLink to="/messages/new" search={channel === undefined ? {} : { channel }} {...more} />
);
