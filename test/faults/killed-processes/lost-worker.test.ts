import { describe } from '@jest/globals';
import { drillKilledProcesses } from './drill.ts';

describe('with the burst threshold 100', () => drillKilledProcesses('100', { isFirstOnly: true }));
