/**
 * SQL, an INSERT: the recorded tries of `from` are counted for figures of traffic, in one row for each subscription (docs/decisions.md,
 * Figures). `outcome` is an expression for how one ended, as src/kernel/words/outcomes.ts numbers them.
 */
export const countTries = ({ from, outcome }: { from: string; outcome: string | number }): string => `
    INSERT INTO stat_parts (environment_id, channel_id, subscription_id, outcomes)
    SELECT environment_id, channel_id, subscription_id, array_agg(${outcome}) FROM ${from}
    GROUP BY environment_id, channel_id, subscription_id`;
