import type { DashboardScene } from './dashboard-scene.ts';

export const MINUTE = 60_000;

/**
 * Stores a day of traffic: a delivery each minute that takes 100 ms, ten failures an hour ago, and one dead letter. Returns their time
 * in ms.
 */
export async function storeDay(
  scene: DashboardScene,
  { channelId, subscriptionId }: { channelId: string; subscriptionId: string },
): Promise<number> {
  const { pool, db } = scene.posthorn.deps;
  // Makes the statistics of the environment those of this test alone.
  await pool.query('TRUNCATE stat_counts');
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const counted = [
    ...Array.from({ length: 1_400 }, (_, minute) => [minute, 200, 13, 1]),
    ...Array.from({ length: 1_400 }, (_, minute) => [minute, 0, 63, 2]),
    [60, 503, 16, 10],
    [60, -1, 63, 1],
  ];
  const begun = Math.floor(Date.now() / MINUTE) * MINUTE;
  const column = (at: number): number[] => counted.map((row) => row[at] ?? 0);
  const times = counted.map(([minute = 0]) => new Date(begun - minute * MINUTE));
  for (const ofId of [environmentId, channelId, subscriptionId])
    for (const minutes of [1, 60])
      await pool.query(
        `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
         SELECT $1, $2, $3::int, date_bin(make_interval(mins => $3::int), at, 'epoch') AS begun, code, class, sum(count)
         FROM unnest($4::timestamptz[], $5::int[], $6::int[], $7::int[]) AS f (at, code, class, count)
         GROUP BY begun, code, class ON CONFLICT (of_id, minutes, at, code, latency_class) DO UPDATE SET count = excluded.count`,
        [ofId, environmentId, minutes, times, column(1), column(2), column(3)],
      );
  return begun - 60 * MINUTE;
}
