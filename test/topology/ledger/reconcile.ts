import { breachesOfDeliveries } from './deliveries.ts';
import type { Breach, Evidence } from './entries.ts';
import { publicationsOf } from './groups.ts';
import { breachesOfLimits, breachesOfResources } from './limits.ts';
import { breachesOfOrder } from './order.ts';
import { breachesOfPublications } from './publications.ts';
import { breachesOfRequests, breachesOfSilence, doublesOf } from './requests.ts';

/** Sums of one scenario, for people. */
export type Figures = {
  acknowledged: number;
  refused: number;
  unknown: number;
  messages: number;
  deliveries: number;
  delivered: number;
  deadLetters: number;
  requests: number;
  doubles: number;
};

/**
 * Compares the client log, the receivers' log and the database. No breach: nothing is lost, stuck, half done or doubled without a reason.
 */
export function reconcile(evidence: Evidence): { breaches: Breach[]; figures: Figures } {
  return {
    breaches: [
      ...breachesOfPublications(evidence),
      ...breachesOfDeliveries(evidence),
      ...breachesOfRequests(evidence),
      ...breachesOfOrder(evidence),
      ...breachesOfLimits(evidence),
      ...breachesOfResources(evidence),
      ...breachesOfSilence(evidence),
    ],
    figures: figuresOf(evidence),
  };
}

function figuresOf(evidence: Evidence): Figures {
  const { records, sink, client } = evidence;
  const publications = publicationsOf(client);
  return {
    acknowledged: publications.filter(({ answers }) => answers.length > 0).length,
    refused: client.filter(({ kind }) => kind === 'refused').length,
    unknown: publications.reduce((sum, { unknown }) => sum + unknown, 0),
    messages: records.messages.length,
    deliveries: records.deliveries.length,
    delivered: records.deliveries.filter(({ status }) => status === 'delivered').length,
    deadLetters: records.deliveries.filter(({ openLetters }) => openLetters > 0).length,
    requests: sink.length,
    doubles: doublesOf(evidence).length,
  };
}
