import type { Prisma } from '../db/generated/client.ts';
import { FAILING_FROM } from '../kernel/rules/failing.ts';

// Subscriptions that a person has to look at: their receiver is failing, or next to nothing is sent until something is changed.
const FAILING = {
  OR: [
    { status: 'disabled' },
    { failingSince: { not: null }, failingAttempts: { gte: FAILING_FROM.attempts } },
    { circuitOpenedAt: { not: null } },
    { secretUnreadableSince: { not: null } },
  ],
} satisfies Prisma.SubscriptionWhereInput;
const FAILING_SQL = `(n.status = 'disabled' OR (n.failing_since IS NOT NULL AND n.failing_attempts >= ${FAILING_FROM.attempts})
  OR n.circuit_opened_at IS NOT NULL OR n.secret_unreadable_since IS NOT NULL)`;

/** The filter by such subscriptions, or by the others: for Prisma, and in SQL on a row `n`. */
export function failingIs(failing: 'true' | 'false' | undefined): {
  where: Prisma.SubscriptionWhereInput;
  condition: string | undefined;
} {
  if (failing === undefined) return { where: {}, condition: undefined };
  const isFailing = failing === 'true';
  return { where: isFailing ? FAILING : { NOT: FAILING }, condition: isFailing ? FAILING_SQL : `NOT ${FAILING_SQL}` };
}
