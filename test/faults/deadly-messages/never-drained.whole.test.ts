import { describe } from '@jest/globals';
import { drillDeadlyMessages } from './drill.ts';

describe('with the burst threshold off', () => drillDeadlyMessages('off'));
