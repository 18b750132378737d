import { describe } from '@jest/globals';
import { drillKilledProcesses } from './drill.ts';

describe('with the burst threshold 1', () => drillKilledProcesses('1'));
