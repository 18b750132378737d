import { Lock } from 'lucide-react';
import type { Role } from '../api/client.ts';
import { ROLE_NAMES } from '../lib/role-words.ts';
import { useHere } from '../lib/session.ts';
import { Page } from '../shell/page.tsx';
import { Empty } from '../ui/empty.tsx';

/** Replaces a page that the user's role does not allow, and says which role it needs. */
export function NoAccess({ title, role }: { title: string; role: Role }) {
  const { organisation } = useHere();
  return (
    <Page title={title}>
      <Empty icon={Lock} title="You don't have access">
        <p>
          You need the {ROLE_NAMES[role]} role to do this. You are{' '}
          {/^[AO]/.test(ROLE_NAMES[organisation.role]) ? 'an' : 'a'} {ROLE_NAMES[organisation.role]}. Ask an admin for
          access.
        </p>
      </Empty>
    </Page>
  );
}
