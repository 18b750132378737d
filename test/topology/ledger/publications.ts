import type { Breach, Evidence, MessageRow, Watched } from './entries.ts';
import { groupBy, type Publication, publicationsOf } from './groups.ts';

/**
 * I5: a batch or a transactional publish is stored whole or not at all. I9: so is one whose outcome nobody was told, and each of its
 * messages has all of its deliveries. I1, first part: an acknowledged message is stored. Several tries of one publication have one set of
 * ids.
 */
export function breachesOfPublications(evidence: Evidence): Breach[] {
  const { client, records } = evidence;
  const stored = groupBy(records.messages, ({ mark }) => mark ?? 'unmarked');
  const ids = new Set(records.messages.map(({ id }) => id));
  const publications = publicationsOf(client);
  const marks = new Set(publications.map(({ mark }) => mark));
  const strangers = [...stored.keys()]
    .filter((mark) => !marks.has(mark))
    .map((mark) => ({ invariant: 'I3', text: `messages ${mark} are stored, which nobody has sent` }));
  return [
    ...strangers,
    ...publications.flatMap((publication) => breachesOf(publication, stored.get(publication.mark) ?? [], ids)),
    ...breachesOfFanOut(evidence, publications),
    ...client
      .filter((entry) => entry.kind === 'refused' && !EXPECTED_REFUSALS.has(entry.status))
      .map((entry) => ({ invariant: 'F4', text: `an answer that no fault may bring: ${JSON.stringify(entry)}` })),
  ];
}

// The first try under a key still runs; a limit; a part is away.
const EXPECTED_REFUSALS = new Set([409, 429, 503]);

function breachesOf(
  { mark, channels, answers, unknown, refused }: Publication,
  stored: readonly MessageRow[],
  ids: ReadonlySet<string>,
): Breach[] {
  const breaches: Breach[] = [];
  const isWhole =
    stored
      .map(({ channelId }) => channelId)
      .toSorted()
      .join() === channels.toSorted().join();
  const said = `${stored.length} of ${channels.length}`;
  if (answers.length > 0 && !isWhole)
    breaches.push({ invariant: 'I1', text: `${mark} was acknowledged, and ${said} are stored` });
  else if (stored.length > 0 && !isWhole)
    breaches.push({ invariant: unknown > 0 ? 'I9' : 'I5', text: `${mark} is half stored: ${said}` });
  else if (answers.length === 0 && unknown === 0 && refused > 0 && stored.length > 0)
    breaches.push({ invariant: 'I5', text: `${mark} was refused, and ${said} are stored` });
  for (const id of answers.flat())
    if (!ids.has(id)) breaches.push({ invariant: 'I1', text: `${id} of ${mark} was acknowledged and is not stored` });
  const sets = new Set(answers.map((each) => each.toSorted().join()));
  if (sets.size > 1) breaches.push({ invariant: 'I5', text: `${mark} was acknowledged with ${sets.size} sets of ids` });
  return breaches;
}

/** Each stored message has one delivery for each subscription of its channel, and none for one that was deleted before. */
function breachesOfFanOut({ records, subscriptions }: Evidence, publications: readonly Publication[]): Breach[] {
  const byMark = new Map(publications.map((each) => [each.mark, each]));
  const deliveries = groupBy(records.deliveries, ({ messageId }) => messageId);
  return records.messages.flatMap(({ id, channelId, mark }) => {
    const publication = byMark.get(mark ?? '');
    const rows = deliveries.get(id) ?? [];
    return subscriptions
      .filter((subscription) => subscription.channelId === channelId)
      .flatMap((subscription) => {
        const count = rows.filter(({ subscriptionId }) => subscriptionId === subscription.id).length;
        const wanted = wantedOf(subscription, publication);
        if (wanted === undefined || count === wanted) return [];
        const invariant = (publication?.unknown ?? 0) > 0 ? 'I9' : 'I3';
        return [{ invariant, text: `${id} has ${count} deliveries to ${subscription.id}` }];
      });
  });
}

/** How many deliveries a message must have to a subscription; undefined where the one was made while the other came or went. */
function wantedOf({ made, deleted }: Watched, publication: Publication | undefined): 0 | 1 | undefined {
  const { sentAt = 0, ackedAt = Number.POSITIVE_INFINITY } = publication ?? {};
  if (deleted !== undefined && sentAt > deleted.doneAt) return 0;
  if (deleted !== undefined && ackedAt >= deleted.askedAt) return undefined;
  if (made === undefined || sentAt > made.doneAt) return 1;
  return ackedAt < made.askedAt ? 0 : undefined;
}
