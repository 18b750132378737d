import type { Prisma } from '../../platform/db/generated/client.ts';
import { FAILING_FROM, failingFrom } from '../../kernel/rules/failing.ts';

// Subscriptions that a person has to look at: their receiver is failing, or next to nothing is sent until something is changed.
const failingAt = (now: Date): Prisma.SubscriptionWhereInput => ({
  OR: [
    { status: 'disabled' },
    { failingSince: { not: null, lte: failingFrom(now) }, failingAttempts: { gte: FAILING_FROM.attempts } },
    { circuitOpenedAt: { not: null } },
    { secretUnreadableSince: { not: null } },
  ],
});
const FAILING_SQL = `(n.status = 'disabled'
  OR (n.failing_since IS NOT NULL AND n.failing_since <= now() - interval '${FAILING_FROM.ms} ms'
    AND n.failing_attempts >= ${FAILING_FROM.attempts})
  OR n.circuit_opened_at IS NOT NULL OR n.secret_unreadable_since IS NOT NULL)`;

/** The filter by such subscriptions, or by the others: for Prisma, and in SQL on a row `n`. */
export function failingIs(
  failing: 'true' | 'false' | undefined,
  now: Date,
): {
  where: Prisma.SubscriptionWhereInput;
  condition: string | undefined;
} {
  if (failing === undefined) return { where: {}, condition: undefined };
  const isFailing = failing === 'true';
  const where = failingAt(now);
  return { where: isFailing ? where : { NOT: where }, condition: isFailing ? FAILING_SQL : `NOT ${FAILING_SQL}` };
}
