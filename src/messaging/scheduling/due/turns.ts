export type InTurn = { id: string; environmentId: string };

/**
 * Round robin over channels with due messages: environments are served in turn, and so are the channels within each. A
 * channel whose messages did not fit into its batch is first in the next one.
 */
export function createDueTurns() {
  let order: InTurn[] = [];
  let served = 0;
  // When an environment or channel was last served, by id.
  const servedAt = new Map<string, number>();
  const lastServed = (id: string): number => servedAt.get(id) ?? 0;

  return {
    isEmpty: (): boolean => order.length === 0,

    /** Sets the channels that currently have something due. */
    set(channels: readonly InTurn[]): void {
      const byEnvironment = new Map<string, InTurn[]>();
      for (const channel of channels) {
        const others = byEnvironment.get(channel.environmentId) ?? [];
        others.push(channel);
        byEnvironment.set(channel.environmentId, others);
      }
      const present = new Set([...byEnvironment.keys(), ...channels.map(({ id }) => id)]);
      for (const id of servedAt.keys()) if (!present.has(id)) servedAt.delete(id);
      let lists = [...byEnvironment]
        .toSorted(([one], [other]) => lastServed(one) - lastServed(other))
        .map(([, list]) => list.toSorted((one, other) => lastServed(one.id) - lastServed(other.id)));
      order = [];
      for (let position = 0; lists.length > 0; position += 1) {
        lists = lists.filter((list) => position < list.length);
        for (const list of lists) order.push(...list.slice(position, position + 1));
      }
    },

    /** Returns the channels whose turn it is. They keep it until `done`. */
    next: (count: number): readonly InTurn[] => order.slice(0, count),

    /** Moves these channels to the end, except for those in `cut`, whose messages did not fit. */
    done(channels: readonly InTurn[], cut: ReadonlySet<string>): void {
      const ended = new Map(channels.filter(({ id }) => !cut.has(id)).map((channel) => [channel.id, channel]));
      served += 1;
      for (const { id, environmentId } of ended.values()) {
        servedAt.set(id, served);
        servedAt.set(environmentId, served);
      }
      const moved = order.filter(({ id }) => ended.has(id));
      order = [...order.filter(({ id }) => !ended.has(id)), ...moved];
    },

    /** Removes all channels when nothing is due any more. */
    clear(): void {
      order = [];
      servedAt.clear();
    },
  };
}
