import { describe } from '@jest/globals';
import { drillKilledProcesses } from './drill.ts';

describe('with the burst threshold off', () => drillKilledProcesses('off'));
