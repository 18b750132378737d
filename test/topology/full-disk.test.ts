import { afterAll, test } from '@jest/globals';
import { play } from './campaign/play.ts';
import { useTopology } from './own-topology.ts';
import { fullDisk } from './scenarios/full-disk.ts';
import { mountSmallDisk } from './small-disk.ts';

// Two databases with their logs take a third of it.
const disk = mountSmallDisk(600);
const own = useTopology(() => ({ databaseFolder: disk.folder }));

// Behind the topology's own end.
afterAll(() => disk.remove());

test('F8: a full disk is answered 503, and once it is freed everything goes on without a loss', async () => {
  await play(own(), fullDisk(disk));
}, 600_000);
