import { Lock } from 'lucide-react';
import { Page } from '../../shell/page.tsx';
import { Empty } from '../../ui/empty.tsx';

/** Replaces a page about the whole service for admins of other organisations. */
export const OperatorsOnly = ({ title }: { title: string }) => (
  <Page title={title} layout="settings">
    <Empty icon={Lock} title="You don't have access">
      <p>Only the organisation that operates Posthorn sees this page.</p>
    </Empty>
  </Page>
);
