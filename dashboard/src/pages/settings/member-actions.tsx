import { useQueryClient } from '@tanstack/react-query';
import { Crown, KeyRound, type LucideIcon, ShieldOff, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { api, type Member, type ResetLink } from '../../api/client.ts';
import { useHere, useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { LinkOnce } from './link-once.tsx';

type Asked = 'reset' | 'factors' | 'transfer' | 'remove';

type Words = { label: string; icon: LucideIcon; title: (name: string) => string; why: string; told?: string };
const WORDS: Readonly<Record<Asked, Words>> = {
  reset: {
    label: 'Send password reset',
    icon: KeyRound,
    title: (name) => `Send a password reset to ${name}?`,
    why: 'Creates a link to set a new password. It works once, within 30 minutes. The old password works until then.',
  },
  factors: {
    label: 'Reset two-factor',
    icon: ShieldOff,
    title: (name) => `Reset two-factor authentication of ${name}?`,
    why: 'Removes their passkeys, authenticator app and recovery codes. They can then sign in with the password alone.',
    told: 'Two-factor reset',
  },
  transfer: {
    label: 'Transfer ownership',
    icon: Crown,
    title: (name) => `Make ${name} the owner?`,
    why: 'You become an admin. Only an owner can change that.',
    told: 'Ownership transferred',
  },
  remove: {
    label: 'Remove member',
    icon: UserMinus,
    title: (name) => `Remove ${name}?`,
    why: 'They are signed out of this organisation, and invitations that they sent stop working.',
    told: 'Member removed',
  },
};

/** The actions on another member. Users manage their own authentication factors on the Account page. */
export function MemberActions({ of: member }: { of: Member }) {
  const { organisation, may } = useHere();
  const { user } = useSession();
  const { act } = useActs();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [link, setLink] = useState<ResetLink>();
  const { id } = organisation;
  const { userId, name, email } = member;
  if (userId === user.id || !may('admin') || !may(member.role)) return null;
  const doing: Record<Asked, () => Promise<unknown>> = {
    reset: async () => setLink(await api.members.createResetLink(id, userId)),
    factors: () => api.members.removeFactors(id, userId),
    transfer: () => api.members.transferOwnership(id, { userId }),
    remove: () => api.members.remove(id, userId),
  };
  const item = (each: Asked, { isDanger = false } = {}) => ({
    label: `${WORDS[each].label}…`,
    icon: WORDS[each].icon,
    isDanger,
    onSelect: () => setAsked(each),
  });
  const words = asked && WORDS[asked];
  return (
    <>
      <MoreMenu
        size="small"
        label={`Actions of ${name}`}
        groups={[
          { items: may('owner') ? [item('reset'), item('factors'), item('transfer')] : [] },
          { items: [item('remove', { isDanger: true })] },
        ]}
      />
      {asked !== undefined && words !== undefined && (
        <Confirm
          title={words.title(name)}
          go={words.label}
          isDanger={asked !== 'reset'}
          // Members do not belong to an environment, so an action on them always affects live, too.
          isOfBothEnvironments
          typed={asked === 'reset' ? undefined : name}
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(
              async () => {
                await doing[asked]();
                await client.invalidateQueries({ queryKey: ['members', id] });
                // The previous owner now has another role, and the pages show what that role allows.
                if (asked === 'transfer') await client.invalidateQueries({ queryKey: ['session'] });
              },
              words.told === undefined ? {} : { told: words.told },
            )
          }
        >
          {words.why}
        </Confirm>
      )}
      {link !== undefined && (
        <LinkOnce
          title="Password reset link"
          of={{ ...link, email, works: 'within 30 minutes' }}
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  );
}
