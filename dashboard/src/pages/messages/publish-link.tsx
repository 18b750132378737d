import { HereLink } from '../../parts/link.tsx';

/** Links to the publish form with a channel preselected. */
export const PublishLink = ({ channel, ...more }: { channel?: string | undefined; 'aria-label'?: string }) => (
  <HereLink to="/messages/new" search={channel === undefined ? {} : { channel }} {...more} />
);
