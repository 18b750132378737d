import type { Prisma } from '../db/generated/client.ts';

// Subscriptions that a person has to look at: next to nothing is sent until something is changed.
const FAILING = {
  OR: [{ status: 'disabled' }, { circuitOpenedAt: { not: null } }, { secretUnreadableSince: { not: null } }],
} satisfies Prisma.SubscriptionWhereInput;
const FAILING_SQL =
  "(n.status = 'disabled' OR n.circuit_opened_at IS NOT NULL OR n.secret_unreadable_since IS NOT NULL)";

/** The filter by such subscriptions, or by the others: for Prisma, and in SQL on a row `n`. */
export function failingIs(failing: 'true' | 'false' | undefined): {
  where: Prisma.SubscriptionWhereInput;
  condition: string | undefined;
} {
  if (failing === undefined) return { where: {}, condition: undefined };
  const isFailing = failing === 'true';
  return { where: isFailing ? FAILING : { NOT: FAILING }, condition: isFailing ? FAILING_SQL : `NOT ${FAILING_SQL}` };
}
