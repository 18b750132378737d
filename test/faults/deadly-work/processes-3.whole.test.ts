import { describe } from '@jest/globals';
import { drillDeadlyWork } from './drill.ts';

describe('with PROCESSES 3', () => drillDeadlyWork('3'));
