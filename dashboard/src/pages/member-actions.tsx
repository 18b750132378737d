import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Member, type ResetLink } from '../api/client.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Code } from '../parts/code.tsx';
import { OnceDialog } from '../parts/once-dialog.tsx';
import { Time } from '../parts/time.tsx';

type Asked = 'reset' | 'factors' | 'handOver' | 'remove';

/** All that may be done to another member. Nobody does it to themselves: their own proofs are on the page Account. */
export function MemberActions({ of: member }: { of: Member }) {
  const t = useTexts();
  const { organisation, may } = useHere();
  const { user } = useSession();
  const { act } = useActs();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [link, setLink] = useState<ResetLink>();
  const id = organisation.id;
  const { userId, name } = member;
  if (userId === user.id || !may('admin') || !may(member.role)) return null;
  const doing: Record<Asked, () => Promise<unknown>> = {
    reset: async () => setLink(await api.members.makeResetLink(id, userId)),
    factors: () => api.members.removeFactors(id, userId),
    handOver: () => api.members.handOverOwnership(id, { userId }),
    remove: () => api.members.remove(id, userId),
  };
  const offered = (['reset', 'factors', 'handOver', 'remove'] as const).filter(
    (each) => each === 'remove' || may('owner'),
  );
  const told = { factors: t.people.factorsRemoved, handOver: t.people.handedOver, remove: t.people.removed };
  return (
    <>
      <div className="buttons">
        {offered.map((each) => (
          <button key={each} type="button" className="button plain" onClick={() => setAsked(each)}>
            {t.people.actions[each]} <span className="sr-only">{name}</span>
          </button>
        ))}
      </div>
      {asked !== undefined && (
        <Ask
          title={t.people.titles[asked](name)}
          go={t.people.actions[asked]}
          isDanger={asked !== 'reset'}
          // Members belong to no environment: what is done to them is always done in live, too.
          typed={asked === 'reset' ? undefined : name}
          onClose={() => setAsked(undefined)}
          onGo={() =>
            void act(
              async () => {
                await doing[asked]();
                await client.invalidateQueries({ queryKey: ['members', id] });
                // The owner from before has another role now, and the pages show what it allows.
                if (asked === 'handOver') await client.invalidateQueries({ queryKey: ['session'] });
              },
              asked === 'reset' ? {} : { told: told[asked] },
            )
          }
        >
          <p>{t.people.why[asked]}</p>
        </Ask>
      )}
      {link !== undefined && (
        <OnceDialog
          why={link.isMailed ? t.people.mailed(member.email) : t.people.handLink(member.email)}
          onClose={() => setLink(undefined)}
        >
          <Code text={link.link} label={t.members.link} />
          <p className="muted">
            {t.members.until} <Time at={link.expiresAt} />
          </p>
        </OnceDialog>
      )}
    </>
  );
}
