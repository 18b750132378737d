import { describe } from '@jest/globals';
import { drillDeadlyWork } from './drill.ts';

describe('with PROCESSES 1', () => drillDeadlyWork('1'));
