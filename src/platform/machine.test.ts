import { describe, expect, test } from '@jest/globals';
import { heapLimitOf, readMachine, usableCores } from './machine.ts';

test('this machine has some of everything', () => {
  const { memoryBytes, heapBytes, descriptors } = readMachine(1);
  expect([memoryBytes > 2 ** 26, heapBytes > 0, descriptors > 0]).toEqual([true, true, true]);
  expect(usableCores()).toBeGreaterThan(0);
});

test('several processes share its memory, and each has the open files of its own limit', () => {
  const [alone, shared] = [readMachine(1), readMachine(4)];
  expect(shared).toEqual({ ...alone, memoryBytes: alone.memoryBytes / 4 });
});

test.each([
  ['V8 would take more than half of its share', 4, { memoryBytes: 512 * 2 ** 20, heapBytes: 2 ** 30 }, 256],
  ['it would not', 2, { memoryBytes: 12 * 2 ** 30, heapBytes: 4 * 2 ** 30 }, undefined],
])('the heap of one of several processes is bounded where %s', (_, processes, machine, limit) => {
  expect(heapLimitOf(processes, { ...machine, descriptors: 1_024 })).toBe(limit);
});

describe('usable cores are those of the affinity, and no more than', () => {
  const cores = (files: Record<string, string>): number => usableCores((path) => files[path], 8);

  test.each([
    ['nothing, where there are no control groups', {}, 8],
    [
      'nothing, where the file says max',
      { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' },
      8,
    ],
    ['the quota of a container', { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 1.5],
    [
      'the least of its group and the groups around it',
      {
        '/proc/self/cgroup': '0::/system.slice/posthorn.service\n',
        '/sys/fs/cgroup/system.slice/posthorn.service/cpu.max': '600000 100000\n',
        '/sys/fs/cgroup/system.slice/cpu.max': '400000 100000\n',
      },
      4,
    ],
    [
      'the quota of version 1, in a container that sees its own group as the root',
      {
        '/proc/self/cgroup': '5:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      2,
    ],
    [
      'nothing, where version 1 says -1',
      {
        '/proc/self/cgroup': '5:cpu:/\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      8,
    ],
    [
      'its affinity, where the quota is larger',
      { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '1600000 100000' },
      8,
    ],
  ])('%s', (_, files, expected) => {
    expect(cores(files)).toBe(expected);
  });
});
