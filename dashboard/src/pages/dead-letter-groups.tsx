import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AskBulkReplay, type DeadLetterGroups as Groups } from '../api/client.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Sparkline } from '../parts/chart.tsx';
import { Failure } from '../parts/failure.tsx';
import { HereLink } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import { Spoken } from '../parts/spoken.tsx';
import { Whose } from '../parts/thing-name.tsx';
import { useSteady } from '../parts/use-steady.ts';

/** So many groups are shown before all are asked for. */
const FIRST = 5;

type Group = Groups['groups'][number];
type Among = Omit<Parameters<typeof api.deadLetters.group>[0] & object, 'since' | 'until'> &
  Readonly<Record<'since' | 'until', string | undefined>>;

/** The filters of the list that show the dead letters of a group. */
const searchOf = ({ subscriptionId, workflowId, reason, errorClass, errorStatus, kind }: Group) => ({
  kind,
  reason,
  ...(subscriptionId !== undefined && { subscription: subscriptionId }),
  ...(workflowId !== undefined && { workflow: workflowId }),
  ...(errorClass !== undefined && { error: errorClass }),
  ...(errorStatus !== undefined && { answer: String(errorStatus) }),
});

/** The same as the filter of a replay. */
const filterOf = ({ kind, subscriptionId, workflowId, reason, errorClass, errorStatus }: Group): AskBulkReplay => ({
  kind,
  reason,
  subscriptionId,
  workflowId,
  errorClass,
  errorStatus,
});

/** A cause is the same one however many dead letters it has by now. */
const idOf = (group: Group): string => JSON.stringify(filterOf(group));

/** Whether the list shows this group alone. */
const isShown = (group: Group, search: Readonly<Record<string, string>>): boolean =>
  Object.entries(searchOf(group)).every(([name, value]) => search[name] === value);

/** A cause that is opened stands among the others: all that narrows them is what its own row does not have. */
const aroundOf = ({ channelId, eventType, messageId, since, until }: Among): Among => ({
  channelId,
  eventType,
  messageId,
  since,
  until,
});

/** The channel, the type, the message and the time that are looked at stay, when a group is opened. */
const placeOf = ({ channel, type, message, since, until }: Readonly<Record<string, string | undefined>>) => ({
  ...(channel !== undefined && { channel }),
  ...(type !== undefined && { type }),
  ...(message !== undefined && { message }),
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});

/**
 * Open dead letters by their cause: what is broken, at one look. They obey the filters of the list. Where these are a cause that `isOpened`
 * here, the others stay in view and a line says so.
 */
export function DeadLetterGroups({
  among: filters,
  isOpened,
  onReplay,
}: {
  among: Among;
  isOpened: boolean;
  onReplay: (filter: AskBulkReplay) => void;
}) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const [isWhole, setIsWhole] = useState(false);
  const among = isOpened ? aroundOf(filters) : filters;
  const found = useQuery({
    queryKey: [path, 'dead-letter-groups', among],
    queryFn: () => api.deadLetters.group({ ...among, since: sinceOf(among.since), until: sinceOf(among.until) }, at),
    refetchInterval: 10_000,
  });
  const { isComplete = true, examined = 0 } = found.data ?? {};
  const groups = found.data?.groups;
  const { shown, fresh, isMoved, renew } = useSteady({
    rows: groups,
    first: isWhole ? Infinity : FIRST,
    idOf,
    key: JSON.stringify([path, among, isWhole]),
  });
  if (found.isError) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (groups === undefined || groups.length === 0) return null;
  return (
    <section className="section" aria-label={t.deadLetters.causes}>
      <div className="heading steady">
        <h2>{t.deadLetters.causes}</h2>
        {isMoved && (
          <button type="button" className="button" onClick={renew}>
            {fresh > 0 ? t.list.fresh(fresh) : t.deadLetters.sortAnew}
          </button>
        )}
      </div>
      <Spoken text={fresh > 0 ? t.list.fresh(fresh) : ''} />
      <div className="box wide">
        <table className="table roomy">
          <thead>
            <tr>
              <th className="number">{t.deadLetters.count}</th>
              <th>{t.fields.whose}</th>
              <th>
                {t.fields.reason} · {t.fields.lastError}
              </th>
              <th className="spark">{t.deadLetters.overTime}</th>
              <th>{t.deadLetters.fromTo}</th>
              {may('developer') && (
                <th>
                  <span className="sr-only">{t.common.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row: group, isGone }) => (
              <tr key={idOf(group)} className={isGone ? 'gone' : undefined} aria-current={isShown(group, search)}>
                <td className="number">
                  <HereLink to="/dead-letters" search={{ ...placeOf(search), ...searchOf(group) }}>
                    {t.deadLetters.show(isGone ? 0 : group.count)}
                  </HereLink>
                </td>
                <td>
                  <Whose of={group} />
                </td>
                <td className="words">
                  <div>{t.reasons[group.reason]}</div>
                  <div className="muted">
                    {group.errorStatus === undefined
                      ? group.errorClass !== undefined && t.errorClasses[group.errorClass]
                      : t.deadLetters.answered(group.errorStatus)}
                  </div>
                </td>
                <td className="spark">
                  <Sparkline
                    label={t.deadLetters.inSteps(group.count)}
                    series={[{ name: t.figures.failed, look: 'failed', values: group.counts }]}
                  />
                </td>
                <td>
                  <Time at={group.firstFailedAt} />
                  {group.lastFailedAt !== group.firstFailedAt && (
                    <>
                      {'\u00a0–'}
                      <br />
                      <Time at={group.lastFailedAt} />
                    </>
                  )}
                </td>
                {may('developer') && (
                  <td>
                    <button
                      type="button"
                      className="button"
                      disabled={isGone}
                      onClick={() =>
                        onReplay({
                          ...filterOf(group),
                          channelId: among.channelId,
                          eventType: among.eventType,
                          messageId: among.messageId,
                          since: sinceOf(among.since),
                          until: sinceOf(among.until),
                        })
                      }
                    >
                      {t.deadLetters.replayGroup}
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isOpened && <p className="muted">{t.deadLetters.oneCause}</p>}
      {!isComplete && <p className="muted">{t.deadLetters.ofNewest(examined)}</p>}
      {!isWhole && groups.length > FIRST && (
        <button type="button" className="button plain" onClick={() => setIsWhole(true)}>
          {t.deadLetters.allCauses(groups.length)}
        </button>
      )}
    </section>
  );
}
